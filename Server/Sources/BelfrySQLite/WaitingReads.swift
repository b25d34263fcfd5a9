/// The reads that wait for a reader, in their order.
struct WaitingReads {
    /// Reads, and returns how its caller is told.
    typealias Read = @Sendable (_ access: Result<SQLiteConnection, any Error>) -> @Sendable () -> Void

    /// So many that were taken are kept until they are cut off together.
    private static let mostTaken = 64

    private var waiting: [Read] = []
    /// How many of them have been taken.
    private var taken = 0
    /// Readers that were asked for, or are at work.
    private var awake = 0
    private let readers: Int

    init(readers: Int) {
        self.readers = readers
    }

    /// - Returns: whether another reader is to be asked for.
    mutating func add(_ read: @escaping Read) -> Bool {
        waiting.append(read)
        guard awake < readers else { return false }
        awake += 1
        return true
    }

    /// Nil: there is none, and the reader goes to sleep.
    mutating func take() -> Read? {
        guard taken < waiting.count else {
            awake -= 1
            return nil
        }
        let read = waiting[taken]
        taken += 1
        if taken == waiting.count || taken >= Self.mostTaken {
            waiting.removeFirst(taken)
            taken = 0
        }
        return read
    }
}
