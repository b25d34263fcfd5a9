import BelfryCommand

/// The figures of one run of `belfry bench console`.
struct ConsoleBenchReport: Encodable {
    struct Page: Encodable {
        let page: String
        let visits: Int
        /// The median time to the first byte, in milliseconds.
        let firstByteMedian: Double
        let firstByteP99: Double
        let wholeP99: Double
        let most: Double
        /// The size of the compressed response.
        let kilobytes: Double
    }

    let devices: Int
    let rows: Int
    let people: Int
    let seconds: Int
    let fillingSeconds: Double
    let summingSeconds: Double
    let pages: [Page]
    /// The status of a page that was refused; nil when all pages were shown.
    let refused: Int?

    init(_ bench: ConsoleBench, visits: [ConsoleVisit], filling: Duration, summing: Duration) {
        devices = bench.devices
        rows = bench.rows
        people = bench.people
        seconds = bench.seconds
        fillingSeconds = filling.inSeconds.rounded(places: 1)
        summingSeconds = summing.inSeconds.rounded(places: 1)
        refused = visits.first { $0.status != 200 }?.status
        pages = ConsoleBenchPage.allCases.map { page in
            let visits = visits.filter { $0.page == page }
            let first = visits.map(\.firstByte.inMilliseconds)
            return Page(
                page: page.rawValue, visits: visits.count, firstByteMedian: first.median.rounded(places: 1),
                firstByteP99: first.quantile(0.99).rounded(places: 1),
                wholeP99: visits.map(\.whole.inMilliseconds).quantile(0.99).rounded(places: 1), most: page.most,
                kilobytes: (visits.map { Double($0.bytes) }.median / 1_024).rounded(places: 1)
            )
        }
    }

    var table: String {
        var table = TextTable("PAGE", "FIRST BYTE p50", "p99", "WHOLE p99", "TARGET p99", "SENT")
        for page in pages {
            table.add(
                page.page, "\(page.firstByteMedian) ms", "\(page.firstByteP99) ms", "\(page.wholeP99) ms",
                "≤ \(page.most.text()) ms", "\(page.kilobytes) KB"
            )
        }
        return """
            \(table.text)

            \(devices) devices, \(rows) events, \(rows) messages; \(people) people who click every half second, \
            \(seconds) s. Targets: PERF-12. Filled in \(fillingSeconds) s; figures summed up in \(summingSeconds) s.
            """
    }
}
