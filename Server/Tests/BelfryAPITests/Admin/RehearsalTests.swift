import BelfryAPI
import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Logging
import Testing

@Suite("CON-12, CON-13: rehearsals by the admin API")
struct RehearsalTests {
    private static let path = "/apps/shop/campaigns/1/rehearsals"

    private static func worker(_ server: TestServer) -> RehearsalWorker {
        RehearsalWorker(
            owner: "test", previews: server.services.campaigns.previews, work: AsyncSignal(),
            logger: Logger(label: "belfry.test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    private static func stage(_ test: @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            try await Credentials.putAll(on: server)
            _ = try await server.admin(.post, "/apps/shop/campaigns", AdminAccessTests.draft)
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            try await device.call(.put, "/client/push-token", #"{"pushToken":"0123456789abcdef"}"#)
            try await test(server)
        }
    }

    @Test("CON-13: it is started, followed, read with its people, and compared after the launch")
    func story() async throws {
        try await Self.stage { server in
            let started = try await server.admin(.post, Self.path)
            #expect(started.status == .accepted)
            let status = try started.json(RehearsalStatusResponse.self)
            #expect(status == RehearsalStatusResponse(id: "1", status: .waiting))
            await Self.worker(server).runUntilIdle()
            let rehearsal = try await server.admin(.get, "\(Self.path)/1").json(RehearsalResponse.self)
            #expect(rehearsal.status == .done && rehearsal.progress == 1 && rehearsal.audience == 1)
            #expect(rehearsal.outcomes?.map(\.state) == [.accepted] && rehearsal.reached == 1)
            #expect(rehearsal.samples?.count == 1 && rehearsal.former == nil && rehearsal.changes == nil)
            let list = try await server.admin(.get, Self.path).json(RehearsalListResponse.self)
            #expect(list.rehearsals.map(\.id) == ["1"] && list.rehearsals.first?.version == rehearsal.version)
            let people = try await server.admin(.get, "\(Self.path)/1/devices?state=accepted")
                .json(RehearsedDevicesResponse.self)
            #expect(people.devices == rehearsal.samples)
            let none = try await server.admin(.get, "\(Self.path)/1/devices?state=suppressed&reason=noToken")
                .json(RehearsedDevicesResponse.self)
            #expect(none.devices.isEmpty && none.cursor == nil)
            try await Self.expectQueries(server, rehearsal)
            #expect(try await server.admin(.get, "\(Self.path)/1/comparison").status == .conflict)
            _ = try await server.admin(.post, "/apps/shop/campaigns/1/launch")
            while try await server.planner.planNext() {}
            let comparison = try await server.admin(.get, "\(Self.path)/1/comparison")
                .json(RehearsalComparisonResponse.self)
            #expect(comparison.differences.map(\.cause) == [.notYet] && !comparison.isFinal)
        }
    }

    /// The devices behind each figure, and what is no question.
    private static func expectQueries(_ server: TestServer, _ rehearsal: RehearsalResponse) async throws {
        let (hour, zone) = (try #require(rehearsal.byHour?.first?.from), rehearsal.byZone?.first?.name)
        let named = zone.map { "&name=\($0)" } ?? ""
        let questions: [(query: String, count: Int)] = [
            ("", 1), ("reached=yes", 1), ("reached=no", 0), ("from=\(hour)", 1), ("to=\(hour)", 0),
            ("by=zone\(named)", 1), ("by=zone\(named)&reached=yes&from=\(hour)", 1), ("by=zone&name=Mars/Olympus", 0),
            ("by=platform&name=mainframe", 0), ("message=placed", 0), ("message=crowded", 0),
        ]
        for (query, count) in questions {
            let found = try await server.admin(.get, "\(path)/1/devices?\(query)").json(RehearsedDevicesResponse.self)
            #expect(found.devices.count == count && found.cursor == nil, "\(query)")
        }
        for (query, target) in [
            ("state=lost", "state"), ("reached=perhaps", "reached"), ("by=shoe", "by"), ("message=lost", "message"),
            ("from=today", "from"), ("from=\(hour)&to=\(hour)", "to"),
        ] {
            let rejected = try await server.admin(.get, "\(path)/1/devices?\(query)")
            #expect(rejected.status == .badRequest && rejected.text.contains("\"\(target)\""), "\(query)")
        }
    }

    @Test("CON-12: what it changed since the last one is said, and the audit log has who asked")
    func changes() async throws {
        try await Self.stage { server in
            _ = try await server.admin(.post, Self.path)
            await Self.worker(server).runUntilIdle()
            var device = TestDevice(server)
            try await device.start(contactKey: "bert")
            _ = try await server.admin(.post, Self.path)
            await Self.worker(server).runUntilIdle()
            let second = try await server.admin(.get, "\(Self.path)/2").json(RehearsalResponse.self)
            #expect(second.former == "1")
            #expect(second.changes?.map(\.reason) == ["noToken"] && second.changes?.map(\.now) == [1])
            let entries = try await server.services.access.log.list(
                matching: AuditLog.Search(), before: nil, limit: 50
            ).entries
            #expect(entries.filter { $0.action == "campaign.rehearse" }.count == 2)
        }
    }

    @Test("CON-13: it can be cancelled, and what is not there is not found")
    func cancel() async throws {
        try await Self.stage { server in
            _ = try await server.admin(.post, Self.path)
            let cancelled = try await server.admin(.post, "\(Self.path)/1/cancel").json(RehearsalStatusResponse.self)
            #expect(cancelled.status == .cancelled)
            await Self.worker(server).runUntilIdle()
            #expect(try await server.admin(.get, "\(Self.path)/1").json(RehearsalResponse.self).status == .cancelled)
            for path in ["\(Self.path)/2", "\(Self.path)/one", "/apps/shop/campaigns/2/rehearsals"] {
                #expect(try await server.admin(.get, path).status == .notFound, "\(path)")
            }
        }
    }
}
