import BelfryServices
import Synchronization

/// How many pages are told as they change, of a person and of all (SEC-2): each asks the store again and again for as long
/// as it is open, and a person may open any number. A browser of ours opens four at a time.
final class LivePlaces: Sendable {
    static let maximumOfPerson = 20
    static let maximum = 500

    private struct State {
        var all = 0
        var ofPeople: [Int64: Int] = [:]
    }

    private let state = Mutex(State())

    /// - Returns: gives the place back.
    func take(_ person: Int64) throws(ServiceError) -> @Sendable () -> Void {
        let isFree = state.withLock { state in
            let own = state.ofPeople[person, default: 0]
            guard state.all < Self.maximum, own < Self.maximumOfPerson else { return false }
            state.all += 1
            state.ofPeople[person] = own + 1
            return true
        }
        guard isFree else {
            throw .tooManyCalls(
                limit: "livePages",
                message: "Of a person at most \(Self.maximumOfPerson) pages are told as they change, and of all people "
                    + "\(Self.maximum). Close some of them.",
                retryAfter: 10
            )
        }
        return { [self] in giveBack(person) }
    }

    private func giveBack(_ person: Int64) {
        state.withLock { state in
            state.all -= 1
            let left = state.ofPeople[person, default: 1] - 1
            state.ofPeople[person] = left == 0 ? nil : left
        }
    }
}
