import BelfryStore

/// What is read for a caller, of whose device the link is known.
typealias CallerRead<Value> = @Sendable (_ connection: any SQLConnection, _ link: DeviceLink) throws -> Value

extension SQLDatabase {
    /// Reads for a caller: one view of the store, and no write. Only the first use of a newer link's token, which ends
    /// the earlier ones (WIRE-20), is written down, and reads there.
    func read<Value: Sendable>(
        for caller: AuthenticatedCaller, _ body: @escaping CallerRead<Value>
    ) async throws -> (link: DeviceLink, value: Value) {
        if let answer = try await read({ try $0.read(for: caller, body) }) { return answer }
        return try await write { connection in
            let link = try connection.link(of: caller)
            return (link, try body(connection, link))
        }
    }

    /// The same for a caller who goes on; nil for that first use.
    func readOnly<Value: Sendable>(
        for caller: AuthenticatedCaller, _ body: @escaping CallerRead<Value>,
        completion: @escaping @Sendable (Result<(link: DeviceLink, value: Value)?, any Error>) -> Void
    ) {
        read({ try $0.read(for: caller, body) }, completion: completion)
    }
}

extension SQLConnection {
    /// Nil when the caller's token ends earlier ones, which is to be written down.
    fileprivate func read<Value>(
        for caller: AuthenticatedCaller, _ body: CallerRead<Value>
    ) throws -> (link: DeviceLink, value: Value)? {
        let link = try shownLink(of: caller)
        guard caller.generation <= link.confirmedGeneration else { return nil }
        return (link, try body(self, link))
    }
}
