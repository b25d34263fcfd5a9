import BelfryModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// What a form makes and what the audit log has of it are written together, or neither is.
struct FormKeyTests {
    @Test("CON-12, ADM-1: a rehearsal that a form begins is in the audit log as soon as it is begun, and once")
    func rehearsal() async throws {
        let world = try await ServiceWorld()
        let id = try await world.draft(ServiceWorld.draft())
        let principal = AdminPrincipal(name: "user:ann", app: nil, scopes: [.campaign])
        let line = FormKey.Line("campaign.rehearse", app: world.app.code, to: id.description)
        let key = try #require(FormKey("k", of: principal, audit: line))
        let auditLine = "action = 'campaign.rehearse' AND actor = 'user:ann' AND app = 'shop' AND target = '\(id)'"
        let faulty = FaultyDatabase(world.database) { _ in throw StoreError.full(reason: "disk") }
        let failing = RehearsalService(database: faulty, environment: world.environment, work: AsyncSignal())
        await #expect(throws: StoreError.self) { _ = try await failing.start(id, once: key, app: world.app) }
        #expect(try await world.rows("rehearsals") == 0)
        #expect(try await world.rows("audit_log", where: auditLine) == 0)
        let first = try await world.rehearsals.start(id, once: key, app: world.app)
        #expect(try await world.rows("audit_log", where: auditLine) == 1)
        #expect(try await world.rehearsals.start(id, once: key, app: world.app).id == first.id)
        #expect(try await world.rows("audit_log", where: auditLine) == 1)
    }
}
