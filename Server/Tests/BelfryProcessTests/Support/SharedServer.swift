/// One server for tests that need none of their own, because an app each keeps them apart. It runs while one of them
/// does.
private actor SharedServer {
    static let one = SharedServer()

    /// One life of the server, from the first test that uses it to the last.
    private struct Life: Sendable {
        let place = Latch<Result<Place, any Error>>()
        let isUnused = Latch<Void>()
        let isOver = Latch<Void>()
    }

    private struct Place: Sendable {
        let stage: Stage
        let server: ServerProcess
    }

    private var life: Life?
    private var users = 0
    private var apps = 0

    /// The operator of an app that nobody else has, and that is still to be created. Whoever enters leaves.
    func enter() async throws -> AdminCaller {
        users += 1
        apps += 1
        let app = "shop-\(apps)"
        do {
            let place = try await (life ?? begin()).place.value.get()
            var server = place.server
            server.app = app
            return place.stage.admin(server, app: app)
        } catch {
            await leave()
            throw error
        }
    }

    /// Returns when the server has ended, if nobody else uses it.
    func leave() async {
        users -= 1
        guard users == 0, let last = life else { return }
        life = nil
        last.isUnused.set(())
        await last.isOver.value
    }

    private func begin() -> Life {
        let begun = Life()
        life = begun
        Task {
            do {
                try await withStage { stage in
                    try await stage.withServer { server in
                        begun.place.set(.success(Place(stage: stage, server: server)))
                        await begun.isUnused.value
                    }
                }
            } catch {
                begun.place.set(.failure(error))
            }
            begun.isOver.set(())
        }
        return begun
    }
}

/// Runs a test with a server that tests share, and the operator of an app that is still to be created.
func withSharedServer(_ body: (AdminCaller) async throws -> Void) async throws {
    let admin = try await SharedServer.one.enter()
    let outcome: Result<Void, any Error>
    do {
        outcome = .success(try await body(admin))
    } catch {
        outcome = .failure(error)
    }
    await SharedServer.one.leave()
    try outcome.get()
}

/// Runs a test with an app of its own, which has credentials for every push service, on a server that tests share.
func withShop(_ body: (ServerProcess, AdminCaller) async throws -> Void) async throws {
    try await withSharedServer { admin in
        try await admin.createApp()
        try await admin.putAllCredentials()
        try await body(admin.server, admin)
    }
}
