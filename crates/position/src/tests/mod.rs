//! The rules, tested: published perft numbers, FEN and its faults, unmoves against moves, notation.

mod castling;
mod fen;
mod game;
mod manner;
mod notation;
mod perft;
mod rules;
mod unmove;
mod variants;
