/// Does what nobody waits for, one after the other, in the order in which it was given.
final class OrderedWork: Sendable {
    private let newest = Locked<Task<Void, Never>?>(nil)

    /// Returns at once.
    func add(_ work: @escaping @Sendable () async -> Void) {
        newest.withLock { newest in
            let before = newest
            newest = Task {
                await before?.value
                await work()
            }
        }
    }

    /// Returns when all that was given so far is done.
    func finished() async {
        await newest.withLock { $0 }?.value
    }
}
