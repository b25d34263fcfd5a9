import Foundation

/// Runs rounds of wrk on the yardsticks and on registrations. Each registration is the first of its own device.
struct RegistrationRounds: Sendable {
    /// The seconds of each warm-up measurement, which does not count.
    private static let warmUp = 1

    let wrk: Wrk
    let rounds: Int
    let seconds: Int
    /// The number of new devices per round.
    let devices: Int
    let app: BenchApp
    let table: RegistrationTable
    let yardsticks: Yardsticks

    private var server: BenchServer { app.server }

    func run() async throws -> [RegistrationBenchReport.Round] {
        let script = server.folder.appending(path: "registrations.lua")
        try Data((RegistrationsScript.text(threads: wrk.threads) + Wrk.reporting).utf8).write(to: script)
        var figures: [RegistrationBenchReport.Round] = []
        for number in 0...rounds {
            let isWarmUp = number == 0
            let seconds = isWarmUp ? Self.warmUp : self.seconds
            let count = isWarmUp ? max(devices / self.seconds * Self.warmUp, wrk.threads) : devices
            let files = try await prepare(count, begin: "round\(number)")
            let yardstick = try await yardsticks.measure(round: number, seconds: seconds)
            let (registrations, backlog, drained) = try await register(
                count, seconds: seconds, script: script, files: files
            )
            guard !isWarmUp else { continue }
            figures.append(
                .init(yardstick, registrations: registrations, backlog: backlog, drained: drained)
            )
        }
        return figures
    }

    /// Links devices and writes a file of their registrations for each thread.
    ///
    /// - Returns: the common prefix of the files' paths.
    private func prepare(_ count: Int, begin: String) async throws -> String {
        let linked = try await app.link(count)
        let registrations = try BenchRegistration.firsts(of: linked)
        for thread in 0..<wrk.threads {
            let texts = stride(from: thread, to: registrations.count, by: wrk.threads).map { place in
                registrations[place].text(to: server.authority)
            }
            let name = RegistrationsScript.fileName(begin, thread: thread + 1)
            try PreparedTexts.file(texts).write(to: server.folder.appending(path: name))
        }
        return server.folder.appending(path: begin).path
    }

    /// Sends the registrations, checks that the acknowledged ones are stored, and waits until they are processed.
    private func register(
        _ devices: Int, seconds: Int, script: URL, files begin: String
    ) async throws -> (sent: Wrk.Result, backlog: Int, drained: Duration) {
        let last = try await table.newest()
        let sent = try await wrk.run(server.address, seconds: seconds, script: script, arguments: [begin])
        guard sent.lacking == 0 else {
            throw RegistrationBenchError.ranOut(devices: devices, lacking: sent.lacking)
        }
        let backlog = try await table.waiting()
        let drained = try await table.drained()
        let entries = try await table.entries(after: last)
        guard entries.count >= sent.answeredWell else {
            throw RegistrationBenchError.lost(acknowledged: sent.answeredWell, stored: entries.count)
        }
        try entries.checkProcessed()
        for thread in 1...wrk.threads {
            try FileManager.default.removeItem(atPath: RegistrationsScript.fileName(begin, thread: thread))
        }
        return (sent, backlog, drained)
    }
}

extension [RegistrationTable.Entry] {
    /// Throws unless every registration is processed and no part of any was rejected.
    func checkProcessed() throws(RegistrationBenchError) {
        let others = self.filter { $0.status != "processed" || $0.processedAt == nil }
        guard let first = others.first else { return }
        throw .notProcessed(count: others.count, of: count, status: first.status)
    }
}

/// A script for wrk that sends prepared registrations. Each thread has a file of its own.
///
/// Its argument is the common prefix of the file names, which ``fileName(_:thread:)`` makes.
enum RegistrationsScript {
    /// - Parameter number: the thread's number, from 1 on.
    static func fileName(_ begin: String, thread number: Int) -> String { "\(begin)-\(number)" }

    /// The script. A thread without further registrations sends its last one again, which changes nothing, and counts
    /// how often.
    static func text(threads: Int) -> String {
        PreparedTexts.script(threads: threads) + """
            function init(args)
              registrations = load_texts(args[1] .. "-" .. number)
              taken = 0
              lacking = 0
              loaded(args[1] .. "-loaded")
            end

            function request()
              taken = taken + 1
              if taken == 2 then wait_for_others() end
              local text = registrations[taken]
              if text then return text end
              lacking = lacking + 1
              return registrations[#registrations]
            end

            """
    }
}
