//! Solves small endings of pieces in Betza notation, one after the other, and says what they can do.
//!
//! Each ending is a game of its own: king and pieces against king, under the rules of chess without pawns.

use crate::{LibraryError, SolvedTables};
use geometry::Board;
use stats::Statistics;
use variant::{Metric, Variant};

/// The letters of White's pieces and of Black's; the king has his own.
const LETTERS: [&[&str]; 2] = [&["A", "B"], &["C"]];

/// The most pieces of White and of Black beside the kings: five men are solved in seconds, six are not.
const MAX_PIECES: [usize; 2] = [2, 1];

/// Pieces that are to be surveyed against others.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Ending {
    /// White's pieces beside the king, in Betza notation, one or two.
    pub white: Vec<String>,
    /// Black's piece beside the king; none is a bare king.
    pub black: Vec<String>,
}

/// Whether the pieces of an ending can mate: `forced` if White to move wins more than half of the positions,
/// `sometimes` if some of them, else `never`.
#[must_use]
pub fn mating_in_a_word(statistics: &Statistics) -> &'static str {
    let side = &statistics.white_to_move;
    match (side.wins.unreduced, side.legal().unreduced) {
        (0, _) => "never",
        (wins, all) if wins > all / 2 => "forced",
        _ => "sometimes",
    }
}

impl Ending {
    /// The endings of each of these pieces, or of each pair of them (two of the same too), against each of
    /// the others; an empty text is a bare king.
    #[must_use]
    pub fn all(pieces: &[String], against: &[String], pairs: bool) -> Vec<Ending> {
        let whites: Vec<Vec<String>> = match pairs {
            false => pieces.iter().map(|piece| vec![piece.clone()]).collect(),
            true => (0..pieces.len())
                .flat_map(|i| (i..pieces.len()).map(move |j| vec![pieces[i].clone(), pieces[j].clone()]))
                .collect(),
        };
        let mut blacks: Vec<Vec<String>> = against
            .iter()
            .map(|piece| Some(piece.clone()).filter(|p| !p.is_empty()).into_iter().collect())
            .collect();
        blacks.dedup();
        let ending =
            |white: &Vec<String>, black: &Vec<String>| Ending { white: white.clone(), black: black.clone() };
        whites.iter().flat_map(|white| blacks.iter().map(move |black| ending(white, black))).collect()
    }

    /// The pieces as people write them: `N + B` or `N + B against R`.
    #[must_use]
    pub fn text(&self) -> String {
        let white = self.white.join(" + ");
        if self.black.is_empty() { white } else { format!("{white} against {}", self.black.join(" + ")) }
    }

    /// Solves the ending on a board, and all that it leads to, and counts.
    ///
    /// # Errors
    /// The pieces cannot be read, or the ending is too large for this machine.
    pub fn solve(&self, board: &Board, metric: Metric) -> Result<Statistics, LibraryError> {
        let wrong = |message: String| LibraryError::Survey { pieces: self.text(), message };
        let [most, most_black] = MAX_PIECES;
        if self.white.is_empty() || self.white.len() > most || self.black.len() > most_black {
            let message = format!("1 to {most} pieces are surveyed, against at most {most_black}");
            return Err(wrong(message));
        }
        let (letters, material) = self.lettered();
        let rules = rules(board, &letters);
        let variant = Variant::parse(&rules, "survey.toml").map_err(|report| {
            let faults: Vec<String> = report.faults().iter().map(|fault| fault.message.clone()).collect();
            wrong(faults.join("; "))
        })?;
        let tables = SolvedTables::of_metric(variant, metric);
        let table = tables.named(&material)?;
        Ok(Statistics::collect(tables.variant(), metric, &table))
    }

    /// A letter for each piece, and the material's name by them; like pieces share one.
    fn lettered(&self) -> (Vec<(&'static str, String)>, String) {
        let mut letters: Vec<(&'static str, String)> = Vec::new();
        let mut sides = Vec::new();
        for (pieces, own) in [&self.white, &self.black].into_iter().zip(LETTERS) {
            let mut text = String::from("K");
            for (piece, letter) in pieces.iter().zip(own.iter().copied()) {
                let letter = match letters.iter().find(|(_, betza)| betza == piece) {
                    Some((known, _)) => *known,
                    None => {
                        letters.push((letter, piece.clone()));
                        letter
                    }
                };
                text += letter;
            }
            sides.push(text);
        }
        (letters, sides.join("v"))
    }
}

/// The rules of chess with these pieces and no others.
fn rules(board: &Board, letters: &[(&'static str, String)]) -> String {
    let mut text = format!(
        "name = \"survey\"\n[board]\nfiles = {}\nranks = {}\n[rules]\nstalemate-value = \"draw\"\n\
         [[piece]]\nletter = \"K\"\nname = \"king\"\nbetza = \"K\"\nroyal = true\n",
        board.files(),
        board.ranks()
    );
    for (letter, betza) in letters {
        // A debug string is a basic string of TOML for whatever stands in it, control characters aside.
        let betza: String = betza.chars().filter(|c| !c.is_control()).collect();
        let name = letter.to_lowercase();
        text += &format!("[[piece]]\nletter = \"{letter}\"\nname = \"{name}\"\nbetza = {betza:?}\n");
    }
    text
}
