//! Checks the rules: perft, FENs and their faults, unmoves against moves, notation.

mod castling;
mod dead;
mod fen;
mod game;
mod notation;
mod path;
mod perft;
mod rules;
mod unmove;
mod variants;
