/// A kind of call of which an engine may run several together with one body, so that they share its statements
/// (FLEET-4). The caller keeps this object: the engine recognizes by it which waiting calls belong together.
package final class JointCall<Item: Sendable, Output: Sendable>: Sendable {
    package typealias Body =
        @Sendable (_ items: [Item], _ connection: any SQLConnection) throws -> [Result<Output, any Error>]

    /// Returns a result for each item, in order. A write whose result is a failure must have changed nothing. If the
    /// body throws, the error concerns all items, and each is then run by itself.
    package let body: Body
    /// Whether a process runs writes of this kind one group at a time: they read what other writes of the kind write,
    /// so two groups at the same time would conflict, and one would run again.
    package let isInTurn: Bool
    /// Whether writes of this kind change rows of devices and contacts alone, and no table that is only on the server
    /// which programs speak to (``Distribution/Place/local``). Where several servers hold the database together, a commit
    /// that is on one of them then has no second part, and need not be prepared (FLEET-5).
    package let isOfDevices: Bool

    package init(isInTurn: Bool = false, isOfDevices: Bool = false, _ body: @escaping Body) {
        self.body = body
        self.isInTurn = isInTurn
        self.isOfDevices = isOfDevices
    }

    package func run(_ item: Item, in connection: any SQLConnection) throws -> Output {
        guard let result = try body([item], connection).first else {
            throw StoreError.corrupted(table: "call", key: "no result")
        }
        return try result.get()
    }
}

/// A call that waits to be run, and may be run together with others of its kind.
package final class JointWrite<Item: Sendable, Output: Sendable>: PendingWrite {
    private let item: Item
    private let call: JointCall<Item, Output>
    private let write: Write<Output>

    package init(
        _ item: Item, _ call: JointCall<Item, Output>, isSynced: Bool,
        mapError: @escaping @Sendable (any Error) -> any Error,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        self.item = item
        self.call = call
        write = Write(
            isSynced: isSynced, body: { try call.run(item, in: $0) }, mapError: mapError, completion: completion
        )
    }

    package var isSynced: Bool { write.isSynced }
    package var kind: ObjectIdentifier? { ObjectIdentifier(call) }
    package var isInTurn: Bool { call.isInTurn }
    package var isOfDevices: Bool { call.isOfDevices }
    package func run(in connection: any GroupConnection) throws -> Bool { try write.run(in: connection) }
    package func runApart(in connection: any GroupConnection) throws -> Bool { try write.runApart(in: connection) }
    package func finish() { write.finish() }
    package func fail(_ error: any Error) { write.fail(error) }

    package func run(with others: [any PendingWrite], in connection: any GroupConnection) throws -> Bool {
        let all = [self] + others.compactMap { $0 as? JointWrite<Item, Output> }
        do {
            let results = try call.body(all.map(\.item), connection)
            try connection.confirm()
            guard results.count == all.count else { throw StoreError.corrupted(table: "call", key: "no result") }
            for (one, result) in zip(all, results) { one.write.settle(result) }
            return true
        } catch {
            try connection.checkTransaction(error)
            for one in all { one.write.settle(.failure(error)) }
            return false
        }
    }
}
