import BelfryAPI
import BelfryModel
import BelfryServices
import BelfryStore
import Testing

@Suite("CON-10: the server and its people by the admin API")
struct OperationsTests {
    @Test("CON-10: the state of the server is for keys of the whole server alone")
    func state() async throws {
        try await TestServer.run { server in
            let own = try await server.makeApp()
            #expect(try await server.admin(.get, "/server/state", key: own).status == .forbidden)
            let response = try await server.admin(.get, "/server/state")
            let state = try response.json(ServerStateResponse.self)
            #expect(state.readiness == "ready" && state.database.schema == state.database.knownSchema)
            #expect(state.queues.keys.sorted() == ["batches", "erasures", "plans", "registrations", "silentPushes"])
            #expect(state.halted.isEmpty && state.refused.isEmpty && state.auditLinesHeld == 0)
        }
    }

    @Test("CON-10: an app gets another name; a name that is none is refused at its field")
    func rename() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            #expect(try await server.admin(.put, "/apps/shop", #"{"name":"The shop"}"#).status == .noContent)
            let apps = try await server.admin(.get, "/apps").json(AppListResponse.self).apps
            #expect(apps.first { $0.code == "shop" }?.name == "The shop")
            let wrong = try await server.admin(.put, "/apps/shop", #"{"name":"  "}"#)
            #expect(wrong.status == .unprocessableContent && wrong.text.contains("\"name\""), "\(wrong.text)")
        }
    }

    @Test("CON-3, CON-10: a person's account is changed, their sessions are listed and ended")
    func people() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let services = server.services
            let ben = try await services.users.create(
                name: "ben", displayName: nil, password: nil, isOperator: false, roles: [:])
            _ = try await services.signIn.begin(for: ben.id, agent: "Firefox")
            let listed = try await server.admin(.get, "/users/ben/sessions").json(UserSessionListResponse.self)
            #expect(listed.sessions.map(\.agent) == ["Firefox"])
            let id = try #require(listed.sessions.first?.id)
            #expect(try await server.admin(.delete, "/users/ben/sessions/\(id)").status == .noContent)
            #expect(try await services.signIn.sessions(of: ben.id).isEmpty)
            let changed = try await server.admin(.put, "/users/ben", #"{"isDisabled":true}"#).json(UserResponse.self)
            #expect(changed.isDisabled && !changed.isOperator && changed.displayName == "ben")
            #expect(try await server.admin(.put, "/users/nobody", "{}").status == .notFound)
            #expect(try await server.admin(.put, "/apps/shop/users/ben", #"{"role":"viewer"}"#).status == .noContent)
            let people = try await server.admin(.get, "/apps/shop/users").json(UserListResponse.self)
            #expect(people.users.map(\.name) == ["ben"] && people.users.first?.roles == ["shop": .viewer])
        }
    }

    @Test("CON-3, CON-10, ADM-1: all sessions of a person end at once, and nobody else's")
    func endSessions() async throws {
        try await TestServer.run { server in
            let own = try await server.makeApp()
            let services = server.services
            let ben = try await services.users.create(
                name: "ben", displayName: nil, password: nil, isOperator: false, roles: [:])
            let ann = try await services.users.create(
                name: "ann", displayName: nil, password: nil, isOperator: false, roles: [:])
            let laptop = try await services.signIn.begin(for: ben.id, agent: "Firefox")
            _ = try await services.signIn.begin(for: ben.id, agent: "Chrome")
            _ = try await services.signIn.begin(for: ann.id, agent: "Safari")

            let foreign = try await server.admin(.delete, "/users/ben/sessions", key: own)
            #expect(foreign.status == .forbidden)
            let before = try await services.signIn.sessions(of: ben.id)
            #expect(before.count == 2)

            for _ in 1...2 {
                let ended = try await server.admin(.delete, "/users/ben/sessions")
                #expect(ended.status == .noContent)
            }
            let after = try await services.signIn.sessions(of: ben.id)
            let others = try await services.signIn.sessions(of: ann.id)
            #expect(after.isEmpty && others.count == 1)
            let finder = try await services.signIn.user(token: laptop.token)
            #expect(finder == nil)
            _ = try await services.signIn.begin(for: ben.id, agent: "Firefox")
            let anew = try await services.signIn.sessions(of: ben.id)
            #expect(anew.count == 1)

            let nobody = try await server.admin(.delete, "/users/nobody/sessions")
            #expect(nobody.status == .notFound)
            let log = try await server.admin(.get, "/audit?action=user.sessions.end").json(AuditListResponse.self)
            #expect(log.entries.compactMap(\.target) == [String(ben.id), String(ben.id)])
        }
    }

    @Test("CON-10: the audit log is searched by who acted and by what was done")
    func audit() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await server.admin(.put, "/apps/shop", #"{"name":"A"}"#)
            _ = try await server.admin(.get, "/apps")
            let found = try await server.admin(.get, "/audit?action=app.rename&actor=root").json(AuditListResponse.self)
            #expect(found.entries.map(\.action) == ["app.rename"] && found.entries.map(\.app) == ["shop"])
            #expect(try await server.admin(.get, "/audit?actor=key-99").json(AuditListResponse.self).entries.isEmpty)
        }
    }
}
