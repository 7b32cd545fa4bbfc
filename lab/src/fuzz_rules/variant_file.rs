//! Writes the rules of a random game as a variant file.
//!
//! A file cannot say everything that dice can make: a movement without a name in Betza notation, a pawn that
//! promotes on some squares and stays on others, a double step from part of a rank.

use geometry::SquareSet;
use std::fmt::Write as _;
use variant::{Arrival, Goal, Material, Pass, PieceId, Side, Stalemate, Variant, Verdict};

/// The file, or as much of it as can be said.
pub(crate) fn text(variant: &Variant) -> String {
    let (board, mut text) = (&variant.board, String::new());
    let names = |set: SquareSet| {
        let names: Vec<String> = set.iter().map(|square| format!("{:?}", board.name(square))).collect();
        format!("[{}]", names.join(", "))
    };
    let _ = writeln!(text, "name = {:?}\n\n[board]\nfiles = {}", variant.name, board.files());
    let _ = writeln!(text, "ranks = {}\nholes = {}", board.ranks(), names(board.holes()));
    let _ = writeln!(text, "cylinder = {}\n\n[rules]\n{}", board.is_cylinder(), rules(variant, &names));
    for piece in &variant.pieces {
        let betza = piece.movement.to_betza().unwrap_or_else(|| format!("{:?}", piece.movement));
        let _ = writeln!(text, "[[piece]]\nletter = \"{}\"\nbetza = {betza:?}", piece.letter);
        let _ = writeln!(text, "royal = {}", piece.royal);
        for (side, region) in ["white", "black"].iter().zip(piece.regions) {
            let _ = region.map(|region| writeln!(text, "mobility-region-{side} = {}", names(region)));
        }
        if let Some(rules) = &piece.pawn {
            let ranks = |squares: SquareSet| {
                (0..board.ranks()).filter(move |&rank| !squares.intersection(board.rank(rank)).is_empty())
            };
            let double: Vec<String> =
                ranks(rules.double_step_from).map(|rank| (rank + 1).to_string()).collect();
            let _ =
                writeln!(text, "[piece.pawn]\nstart-rank = {}", ranks(rules.zone).next().unwrap_or(0) + 1);
            let _ = writeln!(text, "double-step-ranks = [{}]", double.join(", "));
            let _ = writeln!(text, "en-passant = {}", rules.en_passant);
            let _ = writeln!(text, "promotion-zone = {}", names(rules.promotion));
            if !rules.zone.intersection(rules.promotion).is_empty() {
                let _ = writeln!(text, "mandatory-pawn-promotion = false");
            }
            let black = rules.black.as_deref();
            if let Some(black) = rules.black_squares() {
                let double = ranks(black.double_step_from.mirror_ranks(board)).map(|rank| rank + 1);
                let double: Vec<usize> = double.collect();
                let zone = names(black.promotion.mirror_ranks(board));
                let _ = writeln!(text, "promotion-zone-black = {zone}\ndouble-step-ranks-black = {double:?}");
            }
            let keys = ["promotes-to", "promotes-to-black"];
            for (key, to) in keys
                .into_iter()
                .zip([&rules.promotes_to].into_iter().chain(black.map(|black| &black.promotes_to)))
            {
                let to: Vec<String> = letters(variant, to).chars().map(String::from).collect();
                let _ = writeln!(text, "{key} = {to:?}");
            }
        }
        text.push('\n');
    }
    text
}

/// The file, if it says all that matters to a material.
pub(crate) fn exact(variant: &Variant, material: &Material) -> Option<String> {
    let text = text(variant);
    let read = Variant::parse(&text, "random.toml").ok()?;
    let own = Material::parse(&read, &material.name(variant)).ok()?;
    (read.rules_hash(&own) == variant.rules_hash(material)).then_some(text)
}

/// The lines of the table of rules.
fn rules(variant: &Variant, names: &dyn Fn(SquareSet) -> String) -> String {
    let rules = &variant.rules;
    let mut lines: Vec<String> = Vec::new();
    let kinds = |kinds: &Option<Vec<PieceId>>| kinds.as_ref().map_or("*".into(), |ids| letters(variant, ids));
    lines.push(match rules.stalemate {
        Stalemate::Draw => "stalemate-value = \"draw\"".into(),
        Stalemate::Loss => "stalemate-value = \"loss\"".into(),
        Stalemate::Win => "stalemate-value = \"win\"".into(),
        Stalemate::FewerMen => "stalemate-piece-count = true".into(),
    });
    lines.push(format!("checkmate-value = {}", verdict(rules.checkmate)));
    // Older programs do not know these keys, so what is as in chess is left out.
    if rules.black_turned {
        lines.push("black-turned = true".into());
    }
    if rules.royal_men != [1, 1] {
        let [white, black] = rules.royal_men;
        lines.push(format!("royal-men-white = {white}\nroyal-men-black = {black}"));
    }
    lines.push(format!("n-move-rule = {}", rules.n_move_rule.unwrap_or(0)));
    lines.push(format!("must-capture = {}\nchecking = {}", rules.must_capture, rules.checking));
    lines.push(format!("pass = {}", rules.pass == Pass::Always));
    lines.push(format!("pass-on-stalemate = {}", rules.pass == Pass::OnStalemate));
    if let Some(blast) = &rules.blast {
        lines.push(format!(
            "blast-on-capture = true\nblast-immune-types = {:?}",
            letters(variant, &blast.immune)
        ));
    }
    if let Some(extinction) = &rules.extinction {
        lines.push(format!("extinction-value = {}", verdict(extinction.verdict)));
        lines.push(format!("extinction-piece-types = {:?}", kinds(&extinction.kinds)));
        lines.push(format!("extinction-piece-count = {}", extinction.most_men));
        lines.push(format!("extinction-opponent-piece-count = {}", extinction.opponent_men));
        lines.push(format!("extinction-claim = {}", extinction.is_claimed));
    }
    if let Some(pseudo) = &rules.pseudo_royal {
        lines.push("extinction-value = \"loss\"\nextinction-pseudo-royal = true".into());
        lines.push(format!("extinction-piece-types = {:?}", letters(variant, &pseudo.kinds)));
        lines.push(format!("extinction-piece-count = {}", pseudo.most_men - 1));
    }
    if let Some(goal @ Goal { kinds: of, n_men, arrival, .. }) = &rules.goal {
        let [white, black] = Side::BOTH.map(|side| goal.squares(side));
        lines.push(format!("flag-piece-count = {n_men}"));
        let is_answered = matches!(arrival, Arrival::Answered | Arrival::SafeOrKept);
        lines.push(format!("flag-piece = {:?}\nflag-move = {is_answered}", kinds(of)));
        match arrival {
            Arrival::AtOnce | Arrival::Answered => {}
            Arrival::Safe | Arrival::SafeOrKept => lines.push("flag-piece-safe = true".into()),
            Arrival::Filled => lines.push("flag-piece-blocked-win = true".into()),
        }
        lines.push(format!("flag-region-white = {}\nflag-region-black = {}", names(white), names(black)));
    }
    lines.join("\n") + "\n"
}

fn letters(variant: &Variant, kinds: &[PieceId]) -> String {
    kinds.iter().map(|&id| variant.piece(id).letter).collect()
}

fn verdict(verdict: Verdict) -> &'static str {
    if verdict == Verdict::Loss { "\"loss\"" } else { "\"win\"" }
}

#[cfg(test)]
mod tests {
    use crate::fuzz_rules::{Case, game};
    use variant::Metric;

    #[test]
    fn most_random_games_can_be_written() {
        let is_written = |&seed: &u64| {
            let case = Case::random(seed, &game(seed, false), None, Metric::Dtm);
            super::exact(&case.variant, &case.material).is_some()
        };
        let n_written = (0..200).filter(is_written).count();
        assert!(n_written > 100, "{n_written} of 200");
    }
}
