import BelfryStore

extension SQLDatabase {
    /// Reads for a caller: one view of the store, and no write. Only the first use of a newer link's token, which ends
    /// the earlier ones (WIRE-20), is written down, and reads there.
    func read<Value: Sendable>(
        for caller: AuthenticatedCaller,
        _ body: @escaping @Sendable (any SQLConnection, DeviceLink) throws -> Value
    ) async throws -> (link: DeviceLink, value: Value) {
        let answer = try await read { connection -> (link: DeviceLink, value: Value)? in
            let link = try connection.shownLink(of: caller)
            guard caller.generation <= link.confirmedGeneration else { return nil }
            return (link, try body(connection, link))
        }
        if let answer { return answer }
        return try await write { connection in
            let link = try connection.link(of: caller)
            return (link, try body(connection, link))
        }
    }
}
