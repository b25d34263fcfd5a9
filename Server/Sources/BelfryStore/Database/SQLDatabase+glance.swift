extension SQLDatabase {
    /// What is read in a moment, for a caller who waits: an engine may read it where the caller stands, which wakes
    /// nobody else.
    package func glance<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        try await withCheckedThrowingContinuation { continuation in
            read(body) { continuation.resume(with: $0) }
        }
    }
}
