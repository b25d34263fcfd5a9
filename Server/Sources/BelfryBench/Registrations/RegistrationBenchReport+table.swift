import BelfryCommand

extension RegistrationBenchReport {
    var table: String {
        var table = TextTable(
            "ROUND", "HEALTHZ/S", "LANE/S", "RECEIVED/S", "RATIO", "LANE RATIO", "NOT 2XX", "THEN WAITING",
            "PROCESSED IN"
        )
        for (index, round) in each.enumerated() {
            table.add(
                "\(index + 1)", round.healthzPerSecond.text(), round.lanePerSecond.text(),
                round.registrationsPerSecond.text(), round.ratio.text(places: 3), round.laneRatio.text(places: 3),
                "\(round.non2xx)", "\(round.backlog)", "\(round.drainSeconds.text(places: 2)) s"
            )
        }
        table.add(
            "median", healthzPerSecond.text(), laneRequestsPerSecond.text(), registrationsPerSecond.text(),
            ratio.text(places: 3), laneRatio.text(places: 3), "", backlog.text(),
            "\(drainSeconds.text(places: 2)) s"
        )
        return """
            \(table.text)

            Target (PERF-5): a ratio of 0.5 or more.

            \(paced.table)
            """
    }
}

extension RegistrationBenchReport.Paced {
    fileprivate var table: String {
        var table = TextTable("AT A FIXED RATE", "MEASURED", "TARGET")
        table.add("registrations, each the first of a device", "\(count)", "")
        table.add("arrived", "\(arrivedPerSecond.text()) a second", "\(requestedPerSecond) a second")
        table.add("received to processed, median", "\(p50Milliseconds.text()) ms", "")
        table.add("received to processed, 99 of 100", "\(p99Milliseconds.text()) ms", "≤ 1000 ms")
        table.add("received to processed, the longest", "\(maximumMilliseconds.text()) ms", "")
        table.add("the longest wait that was seen", "\(greatestAgeMilliseconds) ms", "")
        table.add("all processed, after the last response", "\(drainSeconds.text(places: 2)) s", "")
        table.add("other responses, or none", "\(failed)", "0")
        return table.text
    }
}
