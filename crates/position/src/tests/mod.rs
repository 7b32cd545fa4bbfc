//! Checks the rules: perft, FENs and their faults, unmoves against moves, notation.

mod castling;
mod fen;
mod game;
mod manner;
mod notation;
mod perft;
mod rules;
mod unmove;
mod variants;
