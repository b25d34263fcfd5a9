/// A picture of a soak's samples: three curves over the same time axis, one below the other.
struct SoakChart {
    private static let width = 880.0
    private static let panelHeight = 150.0
    private static let left = 90.0
    private static let gap = 46.0

    private let samples: [SoakSample]

    init(_ samples: [SoakSample]) {
        self.samples = samples
    }

    var svg: String {
        let panels = [
            panel(0, "Memory, MB", samples.compactMap { point($0, $0.memoryBytes.map { Double($0) / 1_000_000 }) }),
            panel(1, "Open files", samples.compactMap { point($0, $0.openFiles.map(Double.init)) }),
            panel(2, "Response time p99, ms", samples.compactMap { point($0, $0.p99Milliseconds) }),
        ]
        let height = (3 * (Self.panelHeight + Self.gap) + 20).text()
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width.text()) \(height)" \
            font-family="system-ui, sans-serif" font-size="13">
            <rect width="100%" height="100%" fill="#fff"/>
            \(panels.joined(separator: "\n"))
            </svg>

            """
    }

    private func point(_ sample: SoakSample, _ value: Double?) -> (time: Double, value: Double)? {
        value.map { (sample.seconds, $0) }
    }

    private func panel(_ number: Int, _ title: String, _ points: [(time: Double, value: Double)]) -> String {
        let top = 30 + Double(number) * (Self.panelHeight + Self.gap)
        let bottom = top + Self.panelHeight
        let highest = max(points.map(\.value).max() ?? 1, 1) * 1.15
        let longest = max(samples.last?.seconds ?? 1, 1)
        let line = points.map { point in
            let x = Self.left + point.time / longest * (Self.width - Self.left - 20)
            let y = bottom - point.value / highest * Self.panelHeight
            return "\(x.text(places: 1)),\(y.text(places: 1))"
        }
        let right = (Self.width - 20).text()
        return """
            <text x="\(Self.left.text())" y="\((top - 9).text())" font-weight="600">\(title)</text>
            <line x1="\(Self.left.text())" y1="\(bottom.text())" x2="\(right)" y2="\(bottom.text())" stroke="#999"/>
            <text x="\((Self.left - 8).text())" y="\((bottom + 4).text())" text-anchor="end">0</text>
            <text x="\((Self.left - 8).text())" y="\((top + 10).text())" text-anchor="end">\(highest.text())</text>
            <text x="\(right)" y="\((bottom + 17).text())" text-anchor="end">\((longest / 60).text(places: 1)) min</text>
            <polyline points="\(line.joined(separator: " "))" fill="none" stroke="#1d4ed8" stroke-width="1.5"/>
            """
    }
}
