/// The reads that wait for a reader, in their order.
struct WaitingReads {
    /// Runs a read, and returns the function that calls its caller back.
    typealias Read = @Sendable (_ access: Result<SQLiteConnection, any Error>) -> @Sendable () -> Void

    /// Reads that were taken stay in the array until there are so many; then they are removed together.
    private static let mostTaken = 64

    private var waiting: [Read] = []
    /// How many reads at the front of the array have been taken.
    private var taken = 0
    /// Readers that were requested, or are at work.
    private var awake = 0
    private let readers: Int

    init(readers: Int) {
        self.readers = readers
    }

    /// - Returns: whether another reader must be requested.
    mutating func add(_ read: @escaping Read) -> Bool {
        waiting.append(read)
        guard awake < readers else { return false }
        awake += 1
        return true
    }

    /// The next read; nil if there is none: the reader then sleeps.
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
