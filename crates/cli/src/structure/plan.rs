//! `plan --position` and `plan --structure`: says what solving positions takes, under each limit, and what
//! of it takes most.

use super::asked::{Asked, RunArgs};
use super::shown::Shown;
use crate::args::PlanArgs;
use crate::console::Console;
use crate::grid::{Align, Grid};
use crate::{Answer, Failure, Outcome};
use ::structure::{Bound, Estimate, Structure};
use library::figure::{bytes, count, seconds};
use serde::Serialize;
use std::time::Duration;

/// So many of the dearest men are named.
const N_DEAREST: usize = 3;

#[derive(Serialize)]
struct StageJson {
    limit: String,
    fits: bool,
    error: Option<String>,
    slices: u64,
    values: u64,
    seconds: f64,
    memory_bytes: u64,
    disk_bytes: u64,
    by_men: Vec<MenJson>,
}

#[derive(Serialize)]
struct MenJson {
    men: String,
    slices: u64,
    values: u64,
}

pub(crate) fn plan(console: &mut Console<'_>, args: &PlanArgs) -> Outcome {
    let game = super::game_of(args.variant.as_deref(), args.structure.structure.as_deref())?;
    let run =
        RunArgs { using: &args.using, metric: &args.metric, memory: args.memory, threads: args.threads };
    let (question, stages) = {
        let shown = Shown::new(console);
        shown.during(|| {
            let Asked { question, .. } = Asked::new(&game, &args.structure, &run, &shown)?;
            let stages = question.stages(&game.variant, &shown);
            Ok::<_, Failure>((question, stages))
        })?
    };
    let fits = |stage: &::structure::Stage| {
        stage.structure.as_ref().is_ok_and(|(_, estimate)| question.allows(estimate))
    };
    let any_fits = stages.iter().any(fits);
    if args.json {
        let json: Vec<StageJson> = stages.iter().map(|stage| stage_json(stage, fits(stage))).collect();
        console.print_json(&json)?;
        return Ok(if any_fits { Answer::Yes } else { Answer::No });
    }
    let mut grid = Grid::new(&[
        ("limit", Align::Left),
        ("slices", Align::Right),
        ("values", Align::Right),
        ("time", Align::Right),
        ("memory", Align::Right),
        ("disk", Align::Right),
        ("", Align::Left),
    ]);
    let mut shown: Option<&(Structure, Estimate)> = None;
    for stage in &stages {
        match &stage.structure {
            Err(error) => {
                let mut row = vec![told(stage)];
                row.extend(["", "", "", "", ""].map(str::to_owned));
                row.push(error.to_string());
                grid.push(row);
            }
            Ok(own) => {
                let (_, estimate) = own;
                let note = if fits(stage) { "" } else { "too much" };
                grid.push(vec![
                    told(stage),
                    count(estimate.n_slices),
                    count(estimate.n_values),
                    seconds(Duration::from_secs_f64(estimate.seconds)),
                    bytes(estimate.memory_bytes),
                    bytes(estimate.disk_bytes),
                    note.into(),
                ]);
                // What is told in detail is the first that fits, else the smallest.
                let is_better = shown.is_none_or(|(_, before)| {
                    !question.allows(before) && estimate.n_values < before.n_values
                });
                if is_better {
                    shown = Some(own);
                }
            }
        }
    }
    write!(console.out, "{}", grid.text(console.out_width))?;
    if let Some((structure, estimate)) = shown {
        writeln!(console.out, "\n{} {}:", structure.name(), structure.limit())?;
        let mut grid = Grid::new(&[
            ("men beside pawns", Align::Left),
            ("pawns", Align::Right),
            ("slices", Align::Right),
            ("values", Align::Right),
            ("share", Align::Right),
        ]);
        for men in estimate.by_men.iter().take(N_DEAREST) {
            let (least, most) = men.n_pawns;
            let percent = men.n_values as f64 * 100.0 / estimate.n_values.max(1) as f64;
            let pawns = if least == most { least.to_string() } else { format!("{least}–{most}") };
            grid.push(vec![
                men.name.clone(),
                pawns,
                count(men.n_slices),
                count(men.n_values),
                format!("{percent:.0} %"),
            ]);
        }
        write!(console.out, "{}", grid.text(console.out_width))?;
        let n_more = estimate.by_men.len().saturating_sub(N_DEAREST);
        if n_more > 0 {
            writeln!(console.out, "… and {n_more} more")?;
        }
    }
    if !any_fits {
        let (limit, memory) = (count(question.most_values), bytes(question.memory_bytes));
        writeln!(
            console.out,
            "\nnothing of this fits into {limit} values (--limit) and {memory} (--memory): begin after pawns \
             are exchanged or blocked, or allow more"
        )?;
    }
    Ok(if any_fits { Answer::Yes } else { Answer::No })
}

/// The limit, and which bound is found inside it.
fn told(stage: &::structure::Stage) -> String {
    match stage.bound {
        Bound::Exact => stage.limit.to_string(),
        Bound::Lower => format!("at least, {}", stage.limit),
        Bound::Upper => format!("at most, {}", stage.limit),
    }
}

fn stage_json(stage: &::structure::Stage, fits: bool) -> StageJson {
    let limit = told(stage);
    match &stage.structure {
        Err(error) => StageJson {
            limit,
            fits,
            error: Some(error.to_string()),
            slices: 0,
            values: 0,
            seconds: 0.0,
            memory_bytes: 0,
            disk_bytes: 0,
            by_men: Vec::new(),
        },
        Ok((_, estimate)) => StageJson {
            limit,
            fits,
            error: None,
            slices: estimate.n_slices,
            values: estimate.n_values,
            seconds: estimate.seconds,
            memory_bytes: estimate.memory_bytes,
            disk_bytes: estimate.disk_bytes,
            by_men: estimate
                .by_men
                .iter()
                .map(|men| MenJson { men: men.name.clone(), slices: men.n_slices, values: men.n_values })
                .collect(),
        },
    }
}
