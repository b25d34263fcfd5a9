import Foundation

/// Measures `/healthz` and fetches of many devices in turn, by the same wrk (PERF-7).
struct FetchTurns: Sendable {
    /// Seconds for each of the two before anything counts.
    private static let warmUp = 1

    let wrk: Wrk
    let rounds: Int
    let seconds: Int

    /// - Parameter requests: whole requests as HTTP writes them, sent in turn.
    func run(_ requests: [String], on server: BenchServer) async throws -> FetchFigures {
        let files = try write(requests, server)
        var figures: [FetchFigures.Round] = []
        for number in 0...rounds {
            let seconds = number == 0 ? Self.warmUp : self.seconds
            let healthz = try await wrk.run("\(server.address)/healthz", seconds: seconds, script: files.reportOnly)
            let fetches = try await wrk.run(
                server.address, seconds: seconds, script: files.fetches, arguments: [files.requests.path, "\(number)"]
            )
            if number > 0 { figures.append(.init(healthz: healthz, fetches: fetches)) }
        }
        return FetchFigures(figures)
    }

    /// Writes what wrk runs and reads.
    private func write(
        _ requests: [String], _ server: BenchServer
    ) throws -> (fetches: URL, requests: URL, reportOnly: URL) {
        let reportOnly = server.folder.appending(path: "report.lua")
        try Data(Wrk.reporting.utf8).write(to: reportOnly)
        let texts = server.folder.appending(path: "requests")
        try PreparedTexts.file(requests.map { Data($0.utf8) }).write(to: texts)
        let fetches = server.folder.appending(path: "fetches.lua")
        try Data((RequestsInTurnScript.text(threads: wrk.threads) + Wrk.reporting).utf8).write(to: fetches)
        return (fetches, texts, reportOnly)
    }
}

/// A script for wrk that sends whole requests in turn, each thread from another place on.
///
/// Its arguments are the file of the requests and the number of the round.
enum RequestsInTurnScript {
    static func text(threads: Int) -> String {
        PreparedTexts.script(threads: threads) + """
            function init(args)
              requests = load_texts(args[1])
              place = math.floor(#requests * (number - 1) / \(threads))
              taken = 0
              loaded(args[1] .. "-" .. args[2])
            end

            function request()
              taken = taken + 1
              if taken == 2 then wait_for_others() end
              place = place % #requests + 1
              return requests[place]
            end

            """
    }
}
