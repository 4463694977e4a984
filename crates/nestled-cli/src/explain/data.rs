//! Fusion report as JSON. Runs, kernels and arrays are numbered from 0 within their region.

use super::names::Names;
use super::why_declined;
use nestled_pass::RunsChanged;
use nestled_pass::fuse::plan::FusionPlan;
use nestled_pass::fuse::report::RegionReport;
use nestled_pass::fuse::traffic::Traffic;
use nestled_rt::json::Object;

/// An object with a list of regions, and a list of the passes before fusion that changed the number of runs.
pub fn json(names: Names<'_>, regions: &[RegionReport], changed: &[RunsChanged]) -> String {
    let mut out = String::new();
    let mut object = Object::begin(&mut out);
    object.objects("regions", regions, |object, region| write_region(object, names, region));
    object.objects("runs_changed", changed, |object, RunsChanged { pass, before, after }| {
        object.text("pass", pass).plain("before", before).plain("after", after);
    });
    object.end();
    out.push('\n');
    out
}

fn write_region(object: &mut Object<'_>, names: Names<'_>, region: &RegionReport) {
    let place = |span| names.place(span);
    let (problem, plan) = (&region.problem, region.plan());
    object.text("function", &region.function).text("place", &place(region.span));
    object.objects("runs", &region.runs, |object, run| {
        let space: Vec<&str> = run.space.iter().map(|axis| &*axis.name).collect();
        object.text("kernel", &run.kernel).text("space", &space.join(", ")).text("place", &place(run.span));
        object.text("shown", &names.run(run));
    });
    object.objects("arrays", region.arrays.iter().zip(&problem.arrays), |object, (own, array)| {
        object
            .text("name", &own.name)
            .text("shown", &names.value(own))
            .plain("bytes", array.bytes)
            .plain("wanted", array.wanted);
        object.list("producer", array.producer.iter().map(|run| run.index()));
        object.list("readers", array.readers.iter().map(|run| run.index()));
    });
    object.objects("flows", &region.flows, |object, flow| {
        let fused = plan.cluster_of[flow.from] == plan.cluster_of[flow.to];
        object
            .plain("from", flow.from)
            .plain("to", flow.to)
            .text("value", &flow.value.name)
            .plain("fused", fused);
        object.text("shown", &names.value(&flow.value));
        match &flow.verdict {
            _ if fused => {}
            Err(reason) => {
                object.text("why_not", &reason.to_string()).text("what_helps", reason.remedy());
            }
            Ok(()) => drop(object.text("why_not", &why_declined(region, flow))),
        }
    });
    object.objects("apart", &region.apart, |object, (first, second, reason)| {
        object.plain("first", first).plain("second", second).text("why", &reason.to_string());
    });
    object.list("plan", plan.cluster_of.iter().map(|cluster| cluster.index()));
    object.objects("kernels", &region.kernels, |object, kernel| {
        object.plain("cost", kernel.cost).plain("bytes_again", kernel.again);
    });
    object.plain("applied", region.applied);
    object.object("before", |object| {
        write_traffic(object, Traffic::of(problem, &FusionPlan::unfused(problem)), region.unfused_again)
    });
    let again = region.kernels.iter().map(|kernel| kernel.again).sum();
    object.object("after", |object| write_traffic(object, Traffic::of(problem, plan), again));
    object.object("costs", |object| {
        object.plain("ours", region.solution.cost).plain("unfused", region.unfused);
        for (name, _, cost) in &region.others {
            object.plain(name, cost);
        }
        object.plain("nanoseconds_of_one", region.nanoseconds);
        object.plain("bound", region.solution.bound).plain("optimal", region.solution.optimal);
    });
    object.object("solver", |object| {
        let work = &region.solution.work;
        object.plain("seconds", region.time.as_secs_f64());
        object.plain("steps", work.steps).plain("moves", work.moves).plain("nodes", work.nodes);
        object.plain("rounds", work.rounds);
    });
}

fn write_traffic(object: &mut Object<'_>, traffic: Traffic, again: f64) {
    let Traffic { launches, written, read, temporaries } = traffic;
    object.plain("launches", launches).plain("bytes_written", written).plain("bytes_read", read);
    object.plain("bytes_again", again).plain("temporaries", temporaries);
}
