/// A write whose result waits for the commit. Reads that share a view wait for its end likewise.
package protocol PendingWrite: AnyObject, Sendable {
    /// Of those that can be run together; nil for one that is alone of its kind.
    var kind: ObjectIdentifier? { get }
    /// Whether those of its kind are run by one writer at a time.
    var isInTurn: Bool { get }
    /// Whether the commit that it shares is to be on the disk before anybody is told.
    var isSynced: Bool { get }
    /// - Returns: false when it has failed and left something behind.
    /// - Throws: only when the transaction itself has ended.
    func run(in connection: any GroupConnection) throws -> Bool
    /// The same of several of its kind together.
    func run(with others: [any PendingWrite], in connection: any GroupConnection) throws -> Bool
    /// The same in a savepoint: whatever fails leaves nothing behind.
    func runApart(in connection: any GroupConnection) throws -> Bool
    func finish()
    func fail(_ error: any Error)
}

extension PendingWrite {
    package var kind: ObjectIdentifier? { nil }
    package var isInTurn: Bool { false }

    package func run(with others: [any PendingWrite], in connection: any GroupConnection) throws -> Bool {
        try ([self] as [any PendingWrite] + others).allSatisfy { try $0.run(in: connection) }
    }
}

extension [any PendingWrite] {
    /// Those of one kind together, each kind where its first one stands.
    package var byKind: [(first: any PendingWrite, others: [any PendingWrite])] {
        var places: [ObjectIdentifier: Int] = [:]
        var kinds: [(first: any PendingWrite, others: [any PendingWrite])] = []
        for write in self {
            if let kind = write.kind, let place = places[kind] {
                kinds[place].others.append(write)
            } else {
                if let kind = write.kind { places[kind] = kinds.count }
                kinds.append((first: write, others: []))
            }
        }
        return kinds
    }
}

/// The connection that an engine gives to the writes that share a commit.
package protocol GroupConnection: SQLConnection {
    /// Rows that were changed on this connection so far.
    var changes: Int { get }
    /// Runs the body in a savepoint, and undoes what it did when it throws.
    func inSavepoint(_ body: () throws -> Void) throws
    /// Throws what the engine has refused, though the body got over it, where the engine does not go on after that.
    func confirm() throws
    /// Whether the engine itself has refused something: that may have been done in part.
    func isRejection(_ error: any Error) -> Bool
    /// Throws when the transaction itself has ended: then nobody's write has happened.
    func checkTransaction(_ error: any Error) throws
}

extension GroupConnection {
    package func confirm() throws {}
}

// The outcome is touched on a writer's thread only: run, then finish or fail.
package final class Write<Output: Sendable>: PendingWrite, @unchecked Sendable {
    package let isSynced: Bool
    private let body: @Sendable (any SQLConnection) throws -> Output
    private let mapError: @Sendable (any Error) -> any Error
    private let completion: @Sendable (Result<Output, any Error>) -> Void
    private var outcome: Result<Output, any Error>?

    /// - Parameter mapError: makes an error of the layers above from an engine's error.
    package init(
        isSynced: Bool,
        body: @escaping @Sendable (any SQLConnection) throws -> Output,
        mapError: @escaping @Sendable (any Error) -> any Error,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        self.isSynced = isSynced
        self.body = body
        self.mapError = mapError
        self.completion = completion
    }

    package func run(in connection: any GroupConnection) throws -> Bool {
        let before = connection.changes
        do {
            let output = try body(connection)
            try connection.confirm()
            outcome = .success(output)
            return true
        } catch {
            try check(error, in: connection)
            return !connection.isRejection(error) && connection.changes == before
        }
    }

    package func runApart(in connection: any GroupConnection) throws -> Bool {
        do {
            try connection.inSavepoint {
                let output = try body(connection)
                try connection.confirm()
                outcome = .success(output)
            }
        } catch {
            try check(error, in: connection)
        }
        return true
    }

    /// What ends the transaction is not the write's own: when it cannot run again, the reason for that is what it is told.
    private func check(_ error: any Error, in connection: any GroupConnection) throws {
        outcome = nil
        try connection.checkTransaction(error)
        outcome = .failure(error)
    }

    /// It was run with others, and came to this.
    func settle(_ outcome: Result<Output, any Error>) {
        self.outcome = outcome
    }

    package func finish() {
        let nothing = Result<Output, any Error>.failure(StoreError.corrupted(table: "write", key: "no outcome"))
        completion((outcome ?? nothing).mapError(mapError))
    }

    package func fail(_ error: any Error) {
        if case .failure? = outcome { return finish() }
        completion(.failure(mapError(error)))
    }
}
