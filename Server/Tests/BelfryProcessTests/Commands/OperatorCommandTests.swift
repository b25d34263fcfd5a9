import BelfryAPI
import BelfryServices
import Testing

@Suite("Commands for operators of the server")
struct OperatorCommandTests {
    @Test(
        "CLI-7, CON-10: what operators do in the console, the command line does: rename, people, sessions, state, audit",
        .timeLimit(.minutes(10))
    )
    func story() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                try await stage.admin(server).createApp()
                let renamed = try await stage.command(["app", "rename", "shop", "The shop"], at: server.address)
                #expect(renamed.exit == .code(0) && renamed.output.contains("The shop"), "\(renamed.errors)")

                let password = try stage.file("password", "correct horse battery staple\n")
                let made: UserResponse = try await stage.answer(
                    ["user", "create", "ben", "--role", "shop=viewer"], at: server.address, input: password
                )
                #expect(made.roles == ["shop": .viewer] && !made.isDisabled)
                let locked: UserResponse = try await stage.answer(
                    ["user", "change", "ben", "--display-name", "Ben", "--locked", "true"], at: server.address
                )
                #expect(locked.isDisabled && locked.displayName == "Ben")
                let people: UserListResponse = try await stage.answer(
                    ["user", "list", "--app", "shop"], at: server.address)
                #expect(people.users.map(\.name) == ["ben"])
                let sessions: UserSessionListResponse = try await stage.answer(
                    ["user", "sessions", "ben"], at: server.address)
                #expect(sessions.sessions.isEmpty)
                let ended = try await stage.command(["user", "end-session", "ben", "7"], at: server.address)
                #expect(ended.exit == .code(0), "\(ended.errors)")
                let all = try await stage.command(["user", "end-session", "ben", "--all"], at: server.address)
                #expect(all.exit == .code(0) && all.output.contains("All sessions of ben"), "\(all.errors)")
                for unclear in [["ben"], ["ben", "7", "--all"]] {
                    let rejected = try await stage.command(["user", "end-session"] + unclear, at: server.address)
                    #expect(rejected.exit == .code(64), "\(rejected.errors)")
                }

                let state: ServerStateResponse = try await stage.answer(["server"], at: server.address)
                #expect(state.readiness == "ready" && state.database.schema == state.database.knownSchema)
                let shown = try await stage.command(["server"], at: server.address)
                #expect(shown.output.contains("registrations"), "\(shown.errors)")
                let found: AuditListResponse = try await stage.answer(
                    ["audit", "--action", "app.rename", "--actor", "root"], at: server.address)
                #expect(found.entries.map(\.action) == ["app.rename"])
            }
        }
    }
}
