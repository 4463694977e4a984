//! The vocabulary of the text form: one word for each variant.

use crate::access::Path;
use crate::schedule::{Columns, GroupSweep, Rows, Strategy};

fn columns(columns: Columns) -> &'static str {
    match columns {
        Columns::All => "",
        Columns::Strip => " strip",
    }
}

/// Prints a strategy.
pub fn strategy(strategy: Strategy) -> String {
    match strategy {
        Strategy::Points => "points".into(),
        Strategy::PointTiles => "point-tiles".into(),
        Strategy::Vectors => "vectors".into(),
        Strategy::Tiles => "tiles".into(),
        Strategy::InterleavedTiles(count) => format!("interleaved-tiles {count}"),
        Strategy::Rows(Rows::Each(which)) => format!("rows{}", columns(which)),
        Strategy::Rows(Rows::Jammed(count, which)) => format!("jammed-rows {count}{}", columns(which)),
        Strategy::Rows(Rows::Unrolled(count)) => format!("unrolled-rows {count}"),
        Strategy::Rows(Rows::Packed) => "packed-rows".into(),
        Strategy::RowsInTiles => "rows-in-tiles".into(),
    }
}

/// Parses a strategy.
pub fn parse_strategy(words: &[&str]) -> Option<Strategy> {
    let columns = |strip: bool| if strip { Columns::Strip } else { Columns::All };
    Some(match *words {
        ["points"] => Strategy::Points,
        ["point-tiles"] => Strategy::PointTiles,
        ["vectors"] => Strategy::Vectors,
        ["tiles"] => Strategy::Tiles,
        ["interleaved-tiles", count] => Strategy::InterleavedTiles(count.parse().ok()?),
        ["rows"] => Strategy::Rows(Rows::Each(columns(false))),
        ["rows", "strip"] => Strategy::Rows(Rows::Each(columns(true))),
        ["jammed-rows", count] => Strategy::Rows(Rows::Jammed(count.parse().ok()?, columns(false))),
        ["jammed-rows", count, "strip"] => Strategy::Rows(Rows::Jammed(count.parse().ok()?, columns(true))),
        ["unrolled-rows", count] => Strategy::Rows(Rows::Unrolled(count.parse().ok()?)),
        ["packed-rows"] => Strategy::Rows(Rows::Packed),
        ["rows-in-tiles"] => Strategy::RowsInTiles,
        _ => return None,
    })
}

/// Prints the strategy of a group sweep.
pub fn group_sweep(sweep: &GroupSweep) -> String {
    match *sweep {
        GroupSweep::Any(how) => strategy(how),
        GroupSweep::PointsUpTo(most, how) => format!("points-up-to {most} else {}", strategy(how)),
        GroupSweep::LeftToRight => "left-to-right".into(),
        GroupSweep::Tiles(how) => format!("by-tiles {}", strategy(how)),
        GroupSweep::LeftToRightUpTo(most, how) => {
            format!("left-to-right-up-to {most} else {}", strategy(how))
        }
    }
}

/// Parses the strategy of a group sweep.
pub fn parse_group_sweep(words: &[&str]) -> Option<GroupSweep> {
    Some(match *words {
        ["points-up-to", most, "else", ref how @ ..] => {
            GroupSweep::PointsUpTo(most.parse().ok()?, parse_strategy(how)?)
        }
        ["left-to-right-up-to", most, "else", ref how @ ..] => {
            GroupSweep::LeftToRightUpTo(most.parse().ok()?, parse_strategy(how)?)
        }
        ["left-to-right"] => GroupSweep::LeftToRight,
        ["by-tiles", ref how @ ..] => GroupSweep::Tiles(parse_strategy(how)?),
        _ => GroupSweep::Any(parse_strategy(words)?),
    })
}

/// Prints an access path.
pub fn path(path: Path) -> String {
    match path {
        Path::Register => "register".into(),
        Path::Broadcast => "broadcast".into(),
        Path::Contiguous => "contiguous".into(),
        Path::Strided(step) => format!("strided {step}"),
        Path::LaneGroups(size) => format!("lane-groups {size}"),
        Path::LaneBroadcast(size) => format!("lane-broadcast {size}"),
        Path::Gather => "gather".into(),
        Path::SlidingWindow => "sliding-window".into(),
        Path::Ring => "ring".into(),
        Path::Store => "store".into(),
        Path::NonTemporal => "store-nontemporal".into(),
        Path::StoreRing => "store-ring".into(),
        Path::Accumulate => "accumulate".into(),
        Path::Append => "append".into(),
        Path::Scatter => "scatter".into(),
        Path::Tables => "scatter-tables".into(),
    }
}

/// Parses an access path.
pub fn parse_path(words: &[&str]) -> Option<Path> {
    Some(match *words {
        ["register"] => Path::Register,
        ["broadcast"] => Path::Broadcast,
        ["contiguous"] => Path::Contiguous,
        ["strided", step] => Path::Strided(step.parse().ok()?),
        ["lane-groups", size] => Path::LaneGroups(size.parse().ok()?),
        ["lane-broadcast", size] => Path::LaneBroadcast(size.parse().ok()?),
        ["gather"] => Path::Gather,
        ["sliding-window"] => Path::SlidingWindow,
        ["ring"] => Path::Ring,
        ["store"] => Path::Store,
        ["store-nontemporal"] => Path::NonTemporal,
        ["store-ring"] => Path::StoreRing,
        ["accumulate"] => Path::Accumulate,
        ["append"] => Path::Append,
        ["scatter"] => Path::Scatter,
        ["scatter-tables"] => Path::Tables,
        _ => return None,
    })
}
