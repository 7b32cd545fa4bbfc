//! Runs the tests that cross crates, from the cheapest truth to the dearest:
//!
//! - `tidy`: the house is in order: which crate may know which, and that every variant file can be read
//! - `oracle`: the solver against the naive oracle, value for value: chess, and random games
//! - `rules`: the same for games with rules that chess does not have, one by one and many together
//! - `variants`: the games of variants/ against the naive oracle, and pawns of every kind
//! - `exit`: plans, solvers and their judge agree on the tables that a table needs
//! - `published_number`: counts and longest wins against numbers that others have published
//! - `metric`: who wins under every metric, and the longest distances, against published numbers
//! - `games`: games played out by tables under the rule of fifty moves, and one-sided columns of all metrics
//! - `checks`: checks that are counted, and lead from table to table, by the oracle
//! - `special_position`: single positions in which a rule is easily got wrong
//! - `width`: a table of two bytes a value says what a table of one byte says
//! - `table_log`: codes made of a log are those that are written in place
//! - `blocks_below`: tables below are read block by block, and a block that cannot be read ends a run
//! - `slice_order`: tables with pawns that are solved slice by slice are those that are solved in memory
//! - `plies`: what a solve reports of each ply is what the codes say
//! - `structure`: structures say what whole tables say, and their bounds lie on the right side
//! - `one_winner`: one side's wins alone are those of the whole table
//! - `part`: parts of tables where they are enough, and what files leave out put back
//! - `verification`: verification of right tables, and of a wrong one
//! - `bytes`: the same file for any number of threads
//! - `files`: files of every version of the format are still read
//! - `flat`: flat files say at every place what the tables say, and damaged ones are refused
//! - `flat_one_file`: a flat file with all squares of the pawns says the same, and stands beside the others
//! - `mixed_format`: in whichever format a table is, positions are worth the same
//! - `python`: the reader in Python that the documents have says what ours says
//! - `duel`: two royal men and pawns, which are solved in a way of their own, are won as by distances
//! - `unwritten_byte`: a log whose planes are apart, for those above
//! - `help`: helpmates by known numbers, by a look at every line, and under other rules
//! - `lines`: lines that are found by results alone are as long as distances say, and wrong moves refuted
//! - `golden`: what every door says of hundreds of positions of all games
//! - `snapshots`: the statistics of all tables of three and four men, as people see them

mod blocks_below;
mod bytes;
mod checks;
mod clock;
mod duel;
mod exit;
mod files;
mod flat;
mod flat_one_file;
mod games;
mod golden;
mod help;
mod lines;
mod metric;
mod mixed_format;
mod one_winner;
mod oracle;
mod part;
mod plies;
mod published_number;
mod python;
mod rules;
mod slice_order;
mod snapshots;
mod special_position;
mod structure;
mod table_log;
mod tidy;
mod unwritten_byte;
mod variants;
mod verification;
mod width;
