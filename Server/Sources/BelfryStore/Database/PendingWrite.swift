/// A write whose result waits for the commit. Reads that share a snapshot wait for its end in the same way.
package protocol PendingWrite: AnyObject, Sendable {
    /// Identifies writes that can be run together; nil for one that cannot.
    var kind: ObjectIdentifier? { get }
    /// Whether only one writer at a time runs writes of this kind.
    var isInTurn: Bool { get }
    /// Whether it changes rows of devices and contacts alone (``JointCall/isOfDevices``).
    var isOfDevices: Bool { get }
    /// Whether the shared commit must be on the disk before any of its callers gets a result.
    var isSynced: Bool { get }
    /// - Returns: false when the write has failed after it changed something.
    /// - Throws: only when the transaction itself has ended.
    func run(in connection: any GroupConnection) throws -> Bool
    /// Runs this write together with others of its kind.
    func run(with others: [any PendingWrite], in connection: any GroupConnection) throws -> Bool
    /// Runs the write in a savepoint: a failure leaves no change behind.
    func runApart(in connection: any GroupConnection) throws -> Bool
    func finish()
    func fail(_ error: any Error)
}

extension PendingWrite {
    package var kind: ObjectIdentifier? { nil }
    package var isInTurn: Bool { false }
    package var isOfDevices: Bool { false }

    package func run(with others: [any PendingWrite], in connection: any GroupConnection) throws -> Bool {
        try ([self] as [any PendingWrite] + others).allSatisfy { try $0.run(in: connection) }
    }
}

extension [any PendingWrite] {
    /// The writes grouped by kind, each group at the position of its first write.
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

/// The connection that an engine gives to writes that share a commit.
package protocol GroupConnection: SQLConnection {
    /// Rows changed on this connection so far.
    var changes: Int { get }
    /// Runs the body in a savepoint, and undoes its changes if it throws.
    func inSavepoint(_ body: () throws -> Void) throws
    /// Throws an error of the engine that the body has caught, if the engine cannot continue the transaction after it.
    func confirm() throws
    /// Whether the engine itself has refused something that it may have done in part.
    func isRejection(_ error: any Error) -> Bool
    /// Throws if the transaction itself has ended: then none of its writes has happened.
    func checkTransaction(_ error: any Error) throws
}

extension GroupConnection {
    package func confirm() throws {}
}

// The outcome is used on a writer's thread only: first run, then finish or fail.
package final class Write<Output: Sendable>: PendingWrite, @unchecked Sendable {
    package let isSynced: Bool
    private let body: @Sendable (any SQLConnection) throws -> Output
    private let mapError: @Sendable (any Error) -> any Error
    private let completion: @Sendable (Result<Output, any Error>) -> Void
    private var outcome: Result<Output, any Error>?

    /// - Parameter mapError: converts an engine's error to one that the layers above know.
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

    /// An error that ends the transaction is not the write's own. If the write cannot run again, its caller gets the
    /// reason for that.
    private func check(_ error: any Error, in connection: any GroupConnection) throws {
        outcome = nil
        try connection.checkTransaction(error)
        outcome = .failure(error)
    }

    /// Sets the outcome of a write that was run together with others.
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
