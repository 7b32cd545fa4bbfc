//! Compares a list of tables, as `stats DIR --csv` writes it, with published numbers: results and longest
//! mates of three and four men, longest mates of five.

use std::collections::BTreeMap;
use std::path::Path;

/// Results and longest mates of the 35 tables of three and four men: Syzygy's statistics, and Prophet's list.
const FOUR_MEN: &str = include_str!("../../tests/cases/published_3-4.csv");

/// Longest wins of some tables of five men, whoever wins, the winner to move: Prophet's list.
const FIVE_MEN: &str = include_str!("../../tests/cases/published_5.csv");

/// The columns of a list that are published of three and four men, by the name of the published column.
const COLUMNS: [(&str, &str); 8] = [
    ("wtm_wins", "wtm_wins"),
    ("wtm_draws", "wtm_draws"),
    ("wtm_losses", "wtm_losses"),
    ("btm_wins", "btm_wins"),
    ("btm_draws", "btm_draws"),
    ("btm_losses", "btm_losses"),
    ("dtm_white_wins_wtm_plies", "wtm_longest_win"),
    ("dtm_black_wins_btm_plies", "btm_longest_win"),
];

/// A row of a list: what stands in each column.
type Row = BTreeMap<String, String>;

/// Compares the tables of a list; returns lines to print, and whether all is well.
///
/// # Errors
/// The list cannot be read, or has none of the tables.
pub(crate) fn run(path: &Path) -> Result<(Vec<String>, bool), String> {
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let (n_tables, n_figures, wrong) = compare(&text);
    if n_figures == 0 {
        return Err(format!(
            "{} lists no table of dtm of which something is published; write it with `stats DIR --csv`",
            path.display()
        ));
    }
    let is_well = wrong.is_empty();
    let well =
        format!("{}: {n_tables} tables of dtm, {n_figures} published figures, all the same", path.display());
    Ok((if is_well { vec![well] } else { wrong }, is_well))
}

/// How many tables of `dtm` a list has, how many figures of them are published, and which are otherwise.
fn compare(list: &str) -> (usize, usize, Vec<String>) {
    let mut rows = rows(list);
    rows.retain(|row| row.get("metric").is_some_and(|metric| metric == "dtm"));
    let own = |name: &str| rows.iter().find(|row| row.get("table").is_some_and(|table| table == name));
    let (mut n_figures, mut wrong) = (0, Vec::new());
    let mut check = |name: &str, what: &str, got: &str, published: &str| {
        n_figures += 1;
        if got != published {
            wrong.push(format!("{name}: {what} is {got}, published is {published}"));
        }
    };
    for published in self::rows(FOUR_MEN) {
        let name = &published["table"];
        let Some(row) = own(name) else { continue };
        for (column, own_column) in COLUMNS {
            // A side that never wins has no longest win.
            let published = published[column].replace('-', "");
            check(name, own_column, row.get(own_column).map_or("missing", String::as_str), &published);
        }
    }
    for published in self::rows(FIVE_MEN) {
        let name = &published["table"];
        let Some(row) = own(name) else { continue };
        let wins = ["wtm_longest_win", "btm_longest_win"].into_iter().filter_map(|column| row.get(column));
        let longest = wins.filter_map(|plies| plies.parse::<u32>().ok()).max();
        let longest = longest.map_or_else(|| "missing".to_owned(), |plies| plies.to_string());
        check(name, "the longest win", &longest, &published["longest_win_plies"]);
    }
    (rows.len(), n_figures, wrong)
}

/// The rows of a text of values with commas between them, the first line of which names the columns.
fn rows(csv: &str) -> Vec<Row> {
    let mut lines = csv.lines();
    let names = lines.next().map(cells).unwrap_or_default();
    lines.map(|line| names.iter().cloned().zip(cells(line)).collect()).collect()
}

/// The values of a line; one that has a comma stands in quotation marks.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut is_quoted) = (vec![String::new()], false);
    for sign in line.chars() {
        match sign {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            sign => cells.last_mut().expect("there is one").push(sign),
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::{cells, compare};

    const HEAD: &str = "table,metric,wtm_wins,wtm_draws,wtm_losses,btm_wins,btm_draws,btm_losses,\
                        wtm_longest_win,btm_longest_win\n";

    #[test]
    fn figures_are_compared_where_they_are_published() {
        let queen = "KQvK,dtm,18081,0,0,0,2896,25160,19,\n";
        let list = |more: &str| compare(&format!("{HEAD}{queen}{more}"));
        assert_eq!(list("KQvKR,dtz50,1,2,3,4,5,6,7,8\n"), (1, 8, vec![]));
        assert_eq!(list("KBBvKN,dtm,,,,,,,155,3\nKQQQvK,dtm,1,2,3,4,5,6,7,8\n"), (3, 9, vec![]));
        let (_, _, wrong) = list("KPvK,dtm,62480,19184,0,0,35210,48803,55,\nKQPvKQ,dtm,,,,,,,,\n");
        assert_eq!(
            wrong,
            [
                "KPvK: btm_losses is 48803, published is 48802",
                "KQPvKQ: the longest win is missing, published is 247"
            ]
        );
        assert_eq!(compare("").1, 0);
    }

    #[test]
    fn values_with_commas_are_quoted() {
        assert_eq!(cells("a,\"b, c\",,d"), ["a", "b, c", "", "d"]);
    }
}
