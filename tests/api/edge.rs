//! What every call has in common, whatever it asks for: metrics, limits, headers, time-outs.

use std::collections::BTreeSet;

use metrics_exporter_prometheus::PrometheusBuilder;

use crate::app::TestApp;

/// The values that one label has in the metrics, whatever the series.
fn values(rendered: &str, label: &str) -> BTreeSet<String> {
    let marker = format!("{label}=\"");
    rendered
        .lines()
        .filter(|line| line.starts_with("library_http_seconds_count"))
        .filter_map(|line| Some(line.split(&marker).nth(1)?.split('"').next()?.to_owned()))
        .collect()
}

/// P1: each invented method was a series of its own, kept for ever.
#[tokio::test]
async fn a_client_cannot_invent_values_of_metric_labels() {
    let app = TestApp::new().await;
    let recorder = PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    let _recording = metrics::set_default_local_recorder(&recorder);
    let visitor = app.visitor();
    for n in 0..50 {
        for path in [format!("/invented-{n}"), "/books".into(), format!("/library/invented-{n}")] {
            visitor.send(visitor.request(&format!("INVENTED{n}"), &path, None)).await;
        }
    }
    visitor.get("/books").await.expect(200);
    let rendered = handle.render();
    let methods: Vec<_> = values(&rendered, "method").into_iter().collect();
    assert_eq!(methods, ["GET", "OTHER"]);
    assert!(values(&rendered, "route").len() <= 4, "{rendered}");
}
