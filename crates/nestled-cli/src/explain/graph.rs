//! Fusion report as a graph for Graphviz: a node for each run, a box around each kernel, dashed arrows for flows through memory.

use super::names::Names;
use super::{bytes, why_declined};
use nestled_pass::fuse::report::RegionReport;
use std::fmt::Write;

/// The text that `dot` reads.
pub fn dot(names: Names<'_>, regions: &[RegionReport]) -> String {
    let mut out = String::from(
        "digraph fusion {\n  rankdir = TB\n  node [shape = box, style = \"rounded,filled\", fillcolor = white, fontname = Helvetica]\n  \
         edge [fontname = Helvetica, fontsize = 10]\n",
    );
    for (number, region) in regions.iter().enumerate() {
        let _ = writeln!(out, "  subgraph cluster_r{number} {{\n    label = {}", quote(&region.function));
        for (at, cluster) in region.plan().clusters.iter().enumerate() {
            let _ = writeln!(out, "    subgraph cluster_r{number}k{at} {{");
            let _ =
                writeln!(out, "      label = \"kernel {}\"; style = filled; fillcolor = \"#e8f0e4\"", at + 1);
            for run in cluster {
                let report = &region.runs[run.index()];
                let space: Vec<String> = report.space.iter().map(|axis| names.value(axis)).collect();
                let label = format!("{} {}\n[{}]", run.index() + 1, names.run(report), space.join(", "));
                let _ = writeln!(out, "      r{number}n{} [label = {}]", run.index(), quote(&label));
            }
            out.push_str("    }\n");
        }
        for flow in &region.flows {
            let plan = region.plan();
            let fused = plan.cluster_of[flow.from] == plan.cluster_of[flow.to];
            let (style, why) = match (fused, &flow.verdict) {
                (true, _) => ("solid", String::new()),
                (false, Err(reason)) => ("dashed, color = \"#a04040\"", format!("\n{reason}")),
                (false, Ok(())) => ("dashed", format!("\n{}", why_declined(region, flow))),
            };
            let label = quote(&format!("{}{why}", names.value(&flow.value)));
            let _ = writeln!(
                out,
                "    r{number}n{} -> r{number}n{} [label = {label}, style = {style}]",
                flow.from, flow.to
            );
        }
        for (at, (own, array)) in region.arrays.iter().zip(&region.problem.arrays).enumerate() {
            if array.producer.is_none() && array.readers.len() > 1 {
                let id = format!("r{number}a{at}");
                let label = quote(&format!("{}\n{}", names.value(own), bytes(array.bytes)));
                let _ = writeln!(out, "    {id} [label = {label}, shape = ellipse, fillcolor = \"#eeeeee\"]");
                for reader in &array.readers {
                    let _ = writeln!(out, "    {id} -> r{number}n{} [color = gray]", reader.index());
                }
            }
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
