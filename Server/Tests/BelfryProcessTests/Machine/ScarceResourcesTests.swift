import BelfryCommand
import BelfryModel
import BelfryTestSupport
import BelfryWire
import Foundation
import NIOCore
import NIOPosix
import Testing

/// REL-6: the machine has no file handles left, or no memory.
@Suite("Resources are scarce", .enabled(if: canLimit, "NOT tested here: there is no prlimit"))
struct ScarceResourcesTests {
    @Test(
        "REL-6, SEC-2: short of file handles the server accepts no connections, serves the open ones, and recovers",
        .timeLimit(.minutes(10))
    )
    func noFileHandles() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                let admin = stage.admin(server)
                try await admin.createApp()
                let device = DeviceCaller(server: server, http: stage.http)
                try await device.linkAnonymously()
                let open = try Self.handles(of: server).count
                let limit = open + 10 + OpenFiles.spare
                try await server.run.limit("--nofile=\(limit):\(limit)")
                let port = try #require(URLComponents(string: server.address)?.port)
                var idle: [any Channel] = []
                try await eventually("it has taken what it may") {
                    // On a slow machine it ends some by itself meanwhile, because they are idle: others take their place.
                    idle.removeAll { !$0.isActive }
                    while idle.count < 40 {
                        // The system takes them for the server, up to a number.
                        idle.append(
                            try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                                .connect(host: "127.0.0.1", port: port).get()
                        )
                    }
                    return try Self.handles(of: server).count
                } until: {
                    $0 >= open + 9
                }
                // One round of accepting may take some more; the handles that the system needs stay.
                let used = try Self.handles(of: server).count
                #expect(used < limit - OpenFiles.spare / 2)
                // By a connection that it had before.
                let first = UUID().uuidString
                try await device.send([.custom("scarce", id: first)])
                // On a slow machine the server has ended some of them by itself: they were idle for too long.
                for channel in idle { try? await channel.close().get() }
                let fresh = HTTPCaller.make()
                let response = try await eventually("it takes connections again") {
                    try? await fresh.answer(.GET, "\(server.address)/readyz").status
                } until: {
                    $0 == 200
                }
                #expect(response == 200)
                try await fresh.client.shutdown()
                let second = UUID().uuidString
                try await device.send([.custom("plenty", id: second)])
                #expect(Set(try await admin.eventIDs(of: device.id)) == [first, second])
            }
        }
    }

    @Test(
        "REL-6: a connection that stays, and has a high file handle, keeps out nobody while lower ones are free",
        .timeLimit(.minutes(10))
    )
    func highFileHandle() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                let open = try Self.handles(of: server).count
                let port = try #require(URLComponents(string: server.address)?.port)
                var crowd: [any Channel] = []
                for _ in 0...20 {
                    crowd.append(
                        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                            .connect(host: "127.0.0.1", port: port).get()
                    )
                }
                try await eventually("it has accepted the crowd") {
                    try Self.handles(of: server).count
                } until: {
                    $0 >= open + crowd.count
                }
                let staying = crowd.removeLast()
                let highest = try #require(try Self.handles(of: server).max())
                for channel in crowd { try? await channel.close().get() }
                try await eventually("the crowd has left") {
                    try Self.handles(of: server).count
                } until: {
                    $0 < open + crowd.count / 2
                }
                let limit = highest + OpenFiles.spare
                try await server.run.limit("--nofile=\(limit):\(limit)")
                // The first is accepted without a look at what is left: the server was waiting for it already. The others
                // are not to wait until the one that stays is gone, which the server ends once it is idle for too long.
                for _ in 0..<3 {
                    let fresh = HTTPCaller.make()
                    #expect(try await fresh.answer(.GET, "\(server.address)/readyz").status == 200)
                    try await fresh.client.shutdown()
                    #expect(staying.isActive)
                }
                try await staying.close().get()
            }
        }
    }

    @Test(
        """
        REL-6, WIRE-26: short of memory the server may end, and nothing acknowledged is lost; one that has lived on \
        serves by itself once there is memory, and of one that has ended a start is all that it takes to go on
        """,
        .timeLimit(.minutes(10))
    )
    func shortOfMemory() async throws {
        try await withStage { stage in
            // One arena: glibc reserves more for each thread ahead, and no limit on the address space would be felt.
            let (device, acknowledged) = try await stage.withServer(environment: ["MALLOC_ARENA_MAX": "1"]) { server in
                let admin = stage.admin(server)
                try await admin.createApp()
                let device = DeviceCaller(server: server, http: stage.http)
                try await device.linkAnonymously()
                let first = UUID().uuidString
                try await device.send([.custom("before", id: first)])
                // A limit on the address space, as Linux limits a process's memory: the present size, and 1 MB. The colon
                // leaves the hard limit, which only root could raise again.
                try await server.run.limit("--as=\(try Self.addressSpace(of: server) + 1_048_576):")
                let (acknowledged, calls) = await Self.load(device)
                #expect(acknowledged.count < calls * Self.eventsPerCall, "memory was not short")
                let later = try await Self.storedAgain(by: device, server, stage)
                await server.kill9()
                return (device, [first] + acknowledged + later)
            }
            try await stage.withServer { server in
                await device.move(to: server)
                let more = UUID().uuidString
                try await device.send([.custom("after", id: more)])
                let found = try await stage.admin(server).eventIDs(of: device.id)
                #expect(Set(acknowledged + [more]).isSubset(of: found) && Set(found).count == found.count)
            }
        }
    }

    /// Takes the limit on memory away, and expects that a server that has lived on serves as before.
    ///
    /// - Returns: the ids of the events that it has taken since; none when it has ended.
    private static func storedAgain(
        by device: DeviceCaller, _ server: ServerProcess, _ stage: Stage
    ) async throws -> [String] {
        // There is no limit to take from one that has just ended, and that is told a moment later.
        let isLifted = (try? await server.run.limit("--as=unlimited:")) != nil
        let found = try await eventually("the server has ended, or serves again by itself") {
            let status = try? await stage.http.answer(.GET, "\(server.address)/readyz").status
            return (status: status, hasEnded: server.run.ended != nil)
        } until: {
            $0.hasEnded || isLifted && $0.status == 200
        }
        guard !found.hasEnded else { return [] }
        let id = UUID().uuidString
        try await device.send([.custom("survived", id: id)])
        return [id]
    }

    private static func handles(of server: ServerProcess) throws -> [Int] {
        try FileManager.default.contentsOfDirectory(atPath: server.run.inProc("fd")).compactMap { Int($0) }
    }

    private static let eventsPerCall = 400

    /// Large uploads, many at once, until the server is gone or enough have come; the ids that it acknowledged, and how
    /// many calls were made.
    private static func load(_ device: DeviceCaller) async -> (ids: [String], calls: Int) {
        let text = AttributeValue.string(String(repeating: "x", count: 200))
        return await withTaskGroup(of: (ids: [String], calls: Int).self) { group in
            for _ in 0..<16 {
                group.addTask {
                    var ids: [String] = []
                    var calls = 0
                    for _ in 0..<6 {
                        calls += 1
                        let sent = (0..<eventsPerCall).map { _ in UUID().uuidString }
                        let events = sent.map { WireEvent.custom("large", id: $0, attributes: ["text": text]) }
                        guard let response = try? await device.attempt(events) else { break }
                        if response.status == 204 { ids += sent }
                    }
                    return (ids: ids, calls: calls)
                }
            }
            var sum: (ids: [String], calls: Int) = ([], 0)
            for await part in group {
                sum.ids += part.ids
                sum.calls += part.calls
            }
            return sum
        }
    }

    private static func addressSpace(of server: ServerProcess) throws -> Int {
        let status = try String(contentsOfFile: server.run.inProc("status"), encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmSize:") })
        return (Int(line.filter(\.isNumber)) ?? 0) * 1_024
    }
}

private let canLimit = FileManager.default.fileExists(atPath: ProgramRun.prlimit.path)
