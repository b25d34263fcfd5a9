/// What is done with a phone, one after the other.
actor ActionQueue {
    /// Actions that wait for each other; more than a page can press are refused.
    static let maximumWaiting = 100

    /// Actions that are not done yet.
    private(set) var waiting = 0
    private var newest: Task<Void, Never>?

    /// Does something after the actions before it.
    ///
    /// - Returns: false when too many actions wait.
    func perform(_ action: @escaping @Sendable () async -> Void) async -> Bool {
        guard waiting < Self.maximumWaiting else { return false }
        waiting += 1
        let before = newest
        let task = Task {
            await before?.value
            await action()
        }
        newest = task
        await task.value
        waiting -= 1
        return true
    }
}
