//! Small SVG plot with logarithmic axes. Each line has a label at its end and its own marker, so that no line is
//! distinguished by colour alone. Follows the light or dark theme of the browser.

use std::fmt::Write as _;

/// Cost of one kind of response by number of titles.
pub struct Line {
    pub name: &'static str,
    /// Number of titles, and microseconds per response.
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 430.0;
const LEFT: f64 = 70.0;
/// Margin for the labels of the lines.
const RIGHT: f64 = 270.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 60.0;
/// Minimum distance between two labels.
const APART: f64 = 18.0;

/// Light and dark colour of each line, with a contrast of at least 4.5:1 to the background.
const COLOURS: [(&str, &str); 5] = [
    ("#1f5fa8", "#7fb4f0"),
    ("#a3400f", "#f0a56c"),
    ("#0f6b4a", "#6fd0a5"),
    ("#7a2f8f", "#d59bea"),
    ("#6b5a00", "#d9c65a"),
];

/// Draws the lines; `labels` belong to the points on the x axis.
pub fn plot(lines: &[Line], labels: &[String]) -> String {
    let all = || lines.iter().flat_map(|line| &line.points);
    let span = |pick: fn(&(f64, f64)) -> f64| {
        all().map(pick).fold((f64::INFINITY, 0.0_f64), |(least, most), n| (least.min(n), most.max(n)))
    };
    let ((first, last), (least, most)) = (span(|point| point.0), span(|point| point.1));
    let (low, high) = (least.max(1.0).log10().floor(), most.max(10.0).log10().ceil());
    let x = |titles: f64| {
        let wide = (last.log10() - first.log10()).max(1.0);
        LEFT + (titles.log10() - first.log10()) / wide * (WIDTH - LEFT - RIGHT)
    };
    let y = |cost: f64| {
        let share = (cost.max(1.0).log10() - low) / (high - low).max(1.0);
        HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)
    };
    let mut svg = head(lines, labels);
    let mut power = low;
    while power <= high {
        let at = y(10_f64.powf(power));
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 10.0,
            at + 4.0,
            10_f64.powf(power)
        );
        power += 1.0;
    }
    for (point, label) in lines.first().map_or(&[][..], |line| &line.points).iter().zip(labels) {
        let at = x(point.0);
        let _ = writeln!(
            svg,
            "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
            HEIGHT - BOTTOM + 24.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">titles</text>",
        f64::midpoint(LEFT, WIDTH - RIGHT),
        HEIGHT - 12.0
    );
    let mut ends: Vec<(usize, f64)> =
        lines.iter().enumerate().filter_map(|(n, line)| Some((n, y(line.points.last()?.1)))).collect();
    ends.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut above = f64::NEG_INFINITY;
    for (_, at) in &mut ends {
        *at = at.max(above + APART);
        above = *at;
    }
    for (n, named_at) in ends {
        let line = &lines[n];
        let points: Vec<(f64, f64)> = line.points.iter().map(|point| (x(point.0), y(point.1))).collect();
        let way: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
        let _ = writeln!(svg, "<g class=\"line{n}\"><path class=\"line\" d=\"M{}\"/>", way.join("L"));
        for (x, y) in &points {
            svg.push_str(&mark(n, *x, *y));
        }
        let _ = writeln!(
            svg,
            "{}<text x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
            mark(n, WIDTH - RIGHT + 22.0, named_at),
            WIDTH - RIGHT + 34.0,
            named_at + 4.0,
            line.name
        );
    }
    svg.push_str("</svg>\n");
    svg
}

fn head(lines: &[Line], labels: &[String]) -> String {
    let mut told =
        format!("Microseconds of the processor for an answer, with {} titles. ", labels.join(", "));
    for line in lines {
        let costs: Vec<String> = line.points.iter().map(|point| format!("{:.0}", point.1)).collect();
        let _ = write!(told, "{}: {}. ", line.name, costs.join(", "));
    }
    let mut style = String::from(
        "text{font:13px system-ui,sans-serif;fill:#222}.head{font-weight:600}.ground{fill:#fff}.grid{stroke:#ccc}\
         .line{fill:none;stroke:currentColor;stroke-width:2}.mark{fill:currentColor}",
    );
    for (n, (light, _)) in COLOURS.iter().enumerate() {
        let _ = write!(style, ".line{n}{{color:{light}}}");
    }
    style
        .push_str("@media(prefers-color-scheme:dark){text{fill:#eee}.ground{fill:#161616}.grid{stroke:#444}");
    for (n, (_, dark)) in COLOURS.iter().enumerate() {
        let _ = write!(style, ".line{n}{{color:{dark}}}");
    }
    style.push('}');
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-labelledby=\"title told\">\n\
         <title id=\"title\">What an answer costs as the catalogue grows</title>\n<desc id=\"told\">{}</desc>\n\
         <style>{style}</style>\n<path class=\"ground\" d=\"M0 0H{WIDTH}V{HEIGHT}H0Z\"/>\n\
         <text class=\"head\" x=\"{LEFT}\" y=\"26\">Microseconds of the processor for an answer</text>\n",
        told.trim_end()
    )
}

/// Returns the marker of a line: each line has its own shape.
fn mark(n: usize, x: f64, y: f64) -> String {
    let shape = match n % 5 {
        0 => format!("M{:.1} {y:.1}a5 5 0 1 0 10 0a5 5 0 1 0 -10 0Z", x - 5.0),
        1 => format!("M{:.1} {:.1}h9v9h-9Z", x - 4.5, y - 4.5),
        2 => format!("M{x:.1} {:.1}l6 10h-12Z", y - 6.0),
        3 => format!("M{x:.1} {:.1}l6 6l-6 6l-6 -6Z", y - 6.0),
        _ => format!("M{x:.1} {:.1}l6 -10h-12Z", y + 6.0),
    };
    format!("<path class=\"mark\" d=\"{shape}\"/>")
}
