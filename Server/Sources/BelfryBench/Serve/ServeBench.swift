import BelfryCommand
import Foundation
import ServiceLifecycle

/// Runs `belfry bench serve`: measures starts of a server, and its costs while nobody calls.
struct ServeBench: Service {
    /// The cost of the idle server.
    struct Idle: Sendable {
        /// The resident memory; nil when the system does not report it.
        let residentBytes: Int?
        let cpuSeconds: Double?
    }

    let rounds: Int
    /// Seconds until the memory is measured, and seconds for which the processor time is measured.
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
