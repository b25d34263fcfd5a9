import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

@Suite("CON-10, ADM-7: the audit log is searched by app, person and action")
struct AuditSearchTests {
    /// 300 lines: each third is a change, each fifth of another app, each second of a person.
    private func filled() async throws -> ServiceWorld {
        let world = try await ServiceWorld()
        let auditLog = AuditLog(database: world.database)
        for number in 1...300 {
            try await auditLog.append(
                AuditEntry(
                    at: world.clock.now, actor: number.isMultiple(of: 2) ? "user:anna" : "root",
                    app: number.isMultiple(of: 5) ? "other" : "shop",
                    action: number.isMultiple(of: 3) ? "settings.put" : "read", target: "\(number)"
                )
            )
        }
        return world
    }

    @Test("CON-10: each part of a search narrows it, and all of them together do")
    func narrowed() async throws {
        let world = try await filled()
        defer { withExtendedLifetime(world) {} }
        let searches: [(search: AuditSearch, lines: Int)] = [
            (AuditSearch(), 300), (AuditSearch(leavesOutReads: true), 100), (AuditSearch(app: "other"), 60),
            (AuditSearch(actor: "user:anna"), 150), (AuditSearch(action: "read", leavesOutReads: true), 200),
            (AuditSearch(app: "other", actor: "user:anna", action: "settings.put"), 10),
            (AuditSearch(actor: "user:nobody"), 0),
        ]
        let auditLog = AuditLog(database: world.database)
        for (search, lines) in searches {
            let found = try await auditLog.list(matching: search, before: nil, limit: 1_000)
            #expect(found.entries.count == lines && found.next == nil, "\(search)")
        }
    }

    @Test("ADM-7: pages of a search follow each other without a gap, newest first")
    func pages() async throws {
        let world = try await filled()
        defer { withExtendedLifetime(world) {} }
        let auditLog = AuditLog(database: world.database)
        var found: [String] = []
        var cursor: Int64?
        repeat {
            let page = try await auditLog.list(
                matching: AuditSearch(app: "shop", leavesOutReads: true), before: cursor, limit: 7
            )
            #expect(page.entries.count <= 7)
            found += page.entries.compactMap(\.target)
            cursor = page.next
        } while cursor != nil
        let expected: [String] = (1...300).reversed().filter { $0.isMultiple(of: 3) && !$0.isMultiple(of: 5) }
            .map { "\($0)" }
        #expect(found == expected)
    }

    @Test("ADM-7: what one person did is found however many lines others have written since")
    func person() async throws {
        let world = try await filled()
        let found = try await world.database.read { connection in
            // One line is looked through: only an index finds more.
            try [
                AuditSearch(actor: "user:anna"), AuditSearch(actor: "user:anna", leavesOutReads: true),
                AuditSearch(app: "other", actor: "user:anna"),
            ].map { search in
                (
                    lines: try connection.audit.list(search, before: nil, window: 1, limit: 1_000).count,
                    goesOn: try connection.audit.end(of: search, before: nil, window: 1) != nil
                )
            }
        }
        #expect(found.map(\.lines) == [150, 50, 1] && found.map(\.goesOn) == [false, false, true])
    }

    @Test("ADM-7: a search looks through so many lines and no more, and says where it goes on")
    func window() async throws {
        let world = try await filled()
        let search = AuditSearch(action: "settings.put")
        let (lines, found, end, rest) = try await world.database.read { connection in
            (
                try connection.audit.list(AuditSearch(), before: nil, window: 10, limit: 10),
                try connection.audit.list(search, before: nil, window: 10, limit: 100),
                try connection.audit.end(of: search, before: nil, window: 10),
                try connection.audit.end(of: search, before: nil, window: 300)
            )
        }
        #expect(found.map(\.entry.target) == ["300", "297", "294", "291"])
        #expect(end == lines.last?.id, "the tenth line")
        #expect(rest == nil, "there is nothing behind the last line")
    }
}
