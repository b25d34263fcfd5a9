import Foundation

/// Numbers in the form in which pages show them.
enum Figures {
    /// `1,234,567`.
    static func count(_ number: Int) -> String {
        let digits = Array(String(number.magnitude).utf8)
        var text: [UInt8] = number < 0 ? [UInt8(ascii: "-")] : []
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(UInt8(ascii: ",")) }
            text.append(digit)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// A share in percent: `0 %`, `< 1 %`, `37 %`, `> 99 %`, `100 %`. Only the whole is shown as 100 %.
    static func share(_ part: Int, of whole: Int) -> String {
        guard whole > 0 else { return "–" }
        let share = Double(part) / Double(whole) * 100
        if part == 0 { return "0 %" }
        if share < 1 { return "< 1 %" }
        if part < whole, share > 99 { return "> 99 %" }
        return "\(Int(share.rounded())) %"
    }

    /// A count with its noun: `one` for 1, `many` for all other counts.
    static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(count(number)) \(number == 1 ? one : many)"
    }
}

/// A bar of a funnel. Its width is its share of the whole, as SVG text.
struct Bar: Sendable {
    let label: String
    let count: String
    let share: String
    /// The width from 0 to 100; a count above 0 is always visible.
    let width: String
    /// A CSS class of ``Assets``: empty, `bar-bad` or `bar-warning`.
    let tone: String
    /// The address of the list of these people; nil: no link.
    let address: String?

    init(_ label: String, _ part: Int, of whole: Int, tone: String = "", address: String? = nil) {
        self.label = label
        count = Figures.count(part)
        share = Figures.share(part, of: whole)
        let exact = whole > 0 ? Double(part) / Double(whole) * 100 : 0
        width = part == 0 ? "0" : String(max(0.75, (exact * 100).rounded() / 100))
        self.tone = tone
        self.address = address
    }
}

/// The bars of one list, for the template `bars`.
struct Bars: Sendable {
    let bars: [Bar]
}

/// A column chart over days or hours. The server draws it as SVG, without scripts or inline styles.
struct ColumnChart: Sendable {
    struct Column: Sendable {
        let x: String
        let y: String
        let width: String
        let height: String
        let title: String
    }

    struct Mark: Sendable {
        let x: String
        let y: String
        let text: String
        let anchor: String
    }

    static let width = 720.0
    static let height = 180.0
    private static let left = 48.0
    private static let bottom = 22.0
    private static let top = 10.0

    let columns: [Column]
    let lines: [Mark]
    let labels: [Mark]
    /// A sentence with what the chart shows, for people who do not see it.
    let summary: String
    let baseline = String(height - bottom)
    let right = String(width)
    let start = String(left)
    let viewBox = "0 0 \(Int(width)) \(Int(height))"

    /// - Parameter values: the columns from left to right, each with its name below the axis.
    init(_ values: [(name: String, count: Int)], of what: String) {
        let most = Self.ceiling(values.map(\.count).max() ?? 0)
        let room = (Self.width - Self.left) / Double(max(values.count, 1))
        let depth = Self.height - Self.bottom - Self.top
        columns = values.enumerated().map { index, value in
            let height = Double(value.count) / Double(most) * depth
            return Column(
                x: Self.text(Self.left + Double(index) * room + room * 0.15),
                y: Self.text(Self.height - Self.bottom - height), width: Self.text(room * 0.7),
                height: Self.text(height), title: "\(value.name): \(Figures.count(value.count))"
            )
        }
        // An odd maximum gets no middle line: half of it is not a whole number.
        lines = (most.isMultiple(of: 2) ? [0.5, 1.0] : [1.0]).map { share in
            Mark(
                x: Self.text(Self.left - 6), y: Self.text(Self.height - Self.bottom - depth * share + 4),
                text: Figures.count(Int(Double(most) * share)), anchor: "end"
            )
        }
        let step = max(1, Int((Double(values.count) / 8).rounded(.up)))
        labels = values.enumerated().compactMap { index, value in
            guard index % step == 0 else { return nil }
            return Mark(
                x: Self.text(Self.left + (Double(index) + 0.5) * room), y: Self.text(Self.height - 6), text: value.name,
                anchor: "middle"
            )
        }
        let total = values.map(\.count).reduce(0, +)
        summary = "\(Figures.count(total)) \(what) from \(values.first?.name ?? "") to \(values.last?.name ?? "")."
    }

    /// The next round number for the top of the axis.
    private static func ceiling(_ number: Int) -> Int {
        var step = 1
        while step < number / 10 { step *= 10 }
        for factor in [1, 2, 4, 5, 10, 20] where step * factor >= number { return max(1, step * factor) }
        return max(1, number)
    }

    private static func text(_ number: Double) -> String {
        String((number * 10).rounded() / 10)
    }
}
