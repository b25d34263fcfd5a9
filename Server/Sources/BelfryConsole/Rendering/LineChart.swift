/// A line chart over days with the area below the line. The server draws it as SVG, like ``ColumnChart``.
struct LineChart: Sendable {
    struct Mark: Sendable {
        let x: String
        let y: String
        let text: String
        let anchor: String
    }

    private static let left = 56.0
    private static let bottom = 22.0
    private static let top = 10.0

    /// The points of the line as SVG text.
    let points: String
    /// The points of the area: those of the line and the two corners at the bottom.
    let area: String
    let lines: [Mark]
    let labels: [Mark]
    /// A sentence with what the chart shows, for people who do not see it.
    let summary: String
    let baseline = String(ColumnChart.height - bottom)
    let right = String(ColumnChart.width)
    let start = String(left)
    let viewBox = "0 0 \(Int(ColumnChart.width)) \(Int(ColumnChart.height))"

    /// - Parameters:
    ///   - values: the values from left to right, each with its name below the axis; nil: unknown. At least two must be
    ///     known.
    ///   - summary: a sentence with what the chart shows.
    init(_ values: [(name: String, count: Int?)], summary: String) {
        let known = values.compactMap(\.count)
        let (least, most) = Self.ends(known)
        let room = (ColumnChart.width - Self.left) / Double(max(values.count, 1))
        let depth = ColumnChart.height - Self.bottom - Self.top
        let bottom = ColumnChart.height - Self.bottom
        let places = values.enumerated().compactMap { index, value -> (x: Double, y: Double)? in
            value.count.map { count in
                (
                    x: Self.left + (Double(index) + 0.5) * room,
                    y: bottom - Double(count - least) / Double(max(most - least, 1)) * depth
                )
            }
        }
        points = Self.text(places)
        area =
            places.isEmpty
            ? "" : Self.text([(places[0].x, bottom)] + places + [(places[places.count - 1].x, bottom)])
        lines = [0.0, 0.5, 1].map { share in
            Mark(
                x: Self.text(Self.left - 6), y: Self.text(bottom - depth * share + 4),
                text: Figures.count(least + Int(Double(most - least) * share)), anchor: "end"
            )
        }
        let step = max(1, Int((Double(values.count) / 8).rounded(.up)))
        labels = values.enumerated().compactMap { index, value in
            guard index % step == 0 else { return nil }
            return Mark(
                x: Self.text(Self.left + (Double(index) + 0.5) * room), y: Self.text(ColumnChart.height - 6),
                text: value.name, anchor: "middle"
            )
        }
        self.summary = summary
    }

    /// The ends of the axis. It begins at 0 only if the values come near 0, so that small changes are visible.
    private static func ends(_ counts: [Int]) -> (least: Int, most: Int) {
        guard let least = counts.min(), let most = counts.max() else { return (0, 1) }
        let margin = max((most - least) / 4, 1)
        let low = least <= (most - least) * 2 ? 0 : least - margin
        let high = most + margin
        // An axis of even length has a whole number in its middle.
        return (low, high + (high - low) % 2)
    }

    private static func text(_ places: [(x: Double, y: Double)]) -> String {
        places.map { "\(text($0.x)),\(text($0.y))" }.joined(separator: " ")
    }

    private static func text(_ number: Double) -> String {
        String((number * 10).rounded() / 10)
    }
}
