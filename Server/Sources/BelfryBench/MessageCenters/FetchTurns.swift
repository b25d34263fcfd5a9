import Foundation

/// Measures the yardsticks and the fetches of many devices in turn, with the same wrk (PERF-7).
struct FetchTurns: Sendable {
    /// The seconds of each warm-up measurement, which does not count.
    private static let warmUp = 1

    let wrk: Wrk
    let rounds: Int
    let seconds: Int
    /// Whether empty uploads on the express lane are measured too.
    let measuresLane: Bool

    /// - Parameters:
    ///   - requests: whole requests as HTTP/1.1 text, which are sent in turn.
    ///   - devices: the devices that make the requests.
    func run(
        _ requests: [String], of devices: [BenchDevice], on server: BenchServer, over http: BenchHTTP
    ) async throws -> FetchFigures {
        let files = try write(requests, server)
        let yardsticks = try Yardsticks(wrk, laneCallers: measuresLane ? devices : nil, on: server, over: http)
        var figures: [FetchFigures.Round] = []
        for number in 0...rounds {
            let seconds = number == 0 ? Self.warmUp : self.seconds
            let yardstick = try await yardsticks.measure(round: number, seconds: seconds)
            let fetches = try await wrk.run(
                server.address, seconds: seconds, script: files.fetches, arguments: [files.requests.path, "\(number)"]
            )
            if number > 0 { figures.append(.init(yardstick, fetches: fetches)) }
        }
        return FetchFigures(figures)
    }

    /// Writes the script that wrk runs and the file that it reads.
    private func write(_ requests: [String], _ server: BenchServer) throws -> (fetches: URL, requests: URL) {
        let texts = server.folder.appending(path: "requests")
        try PreparedTexts.file(requests.map { Data($0.utf8) }).write(to: texts)
        let fetches = server.folder.appending(path: "fetches.lua")
        try Data((RequestsInTurnScript.text(threads: wrk.threads) + Wrk.reporting).utf8).write(to: fetches)
        return (fetches, texts)
    }
}

/// A script for wrk that sends whole requests in turn. Each thread begins at another place.
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
