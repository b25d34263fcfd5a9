import BelfryCommand
import Foundation
import ServiceLifecycle

/// What `belfry bench serve` measures: starts of a server, and what it costs while nobody calls.
struct ServeBench: Service {
    /// The server at rest.
    struct Idle: Sendable {
        /// Nil where the system does not tell.
        let residentBytes: Int?
        let cpuSeconds: Double?
    }

    let rounds: Int
    /// Seconds until the memory is looked at, and seconds for which the processor is.
    let settling: Int
    let idleSeconds: Int
    let json: Bool

    func run() async throws {
        let report = try await BenchFolder.run { folder in
            var fresh: [Duration] = []
            var existing: [Duration] = []
            for number in 1...rounds {
                let data = folder.appending(path: "data-\(number)")
                fresh.append(try await BenchServerProcess.run(data: data) { $0.readyAfter })
                existing.append(try await BenchServerProcess.run(data: data) { $0.readyAfter })
            }
            let idle = try await BenchServerProcess.run(data: folder.appending(path: "data-1")) { server in
                try await watch(server)
            }
            return ServeBenchReport(
                fresh: fresh, existing: existing, idle: idle, settling: settling, idleSeconds: idleSeconds
            )
        }
        Console.say(json ? try report.jsonLine() : report.table)
    }

    private func watch(_ server: BenchServerProcess) async throws -> Idle {
        try await Task.sleep(for: .seconds(settling))
        let memory = ChildCost.residentBytes(of: server.id)
        let before = ChildCost.cpuSeconds(of: server.id)
        try await Task.sleep(for: .seconds(idleSeconds))
        let after = ChildCost.cpuSeconds(of: server.id)
        guard let before, let after else { return Idle(residentBytes: memory, cpuSeconds: nil) }
        return Idle(residentBytes: memory, cpuSeconds: after - before)
    }
}
