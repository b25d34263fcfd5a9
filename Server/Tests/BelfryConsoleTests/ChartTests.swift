import Testing

@testable import BelfryConsole

@Suite("CON-11: charts that the server draws")
struct ChartTests {
    @Test("CON-11: an axis names a number only at the height where it is")
    func axis() {
        func columns(_ most: Int) -> [String] {
            ColumnChart([(name: "1 Nov", count: most)], of: "messages").lines.map(\.text)
        }
        #expect(columns(1) == ["1"] && columns(5) == ["5"] && columns(8) == ["5", "10"])
        let line = LineChart([(name: "1 Nov", count: 99), (name: "2 Nov", count: 102)], summary: "102 devices.")
        #expect(line.lines.map(\.text) == ["98", "101", "104"])
    }
}
