import BelfryServices
import Synchronization
import Testing

@testable import BelfryConsole

@Suite("Places of live pages")
struct LivePlacesTests {
    @Test(
        "SEC-2, CON-7: a person has a limited number of live pages, and all people together; a closed one frees its place"
    )
    func places() throws {
        let metrics = Metrics()
        let places = LivePlaces(metrics: metrics)
        func isRejected(_ person: Int64) -> Bool {
            do throws(ServiceError) {
                _ = try places.take(person)
                return false
            } catch {
                guard case .tooManyCalls("livePages", _, _) = error else { return false }
                return true
            }
        }
        var own: [@Sendable () -> Void] = []
        for _ in 0..<LivePlaces.maximumOfPerson { own.append(try places.take(1)) }
        #expect(isRejected(1) && !isRejected(2))
        #expect(metrics.values[#"belfry_requests_limited_total{limit="livePages"}"#] == 1)
        own.removeLast()()
        #expect(!isRejected(1) && isRejected(1))
        // Two people have some already.
        var person: Int64 = 3
        for number in 0..<(LivePlaces.maximum - LivePlaces.maximumOfPerson - 1) {
            if number.isMultiple(of: LivePlaces.maximumOfPerson) { person += 1 }
            _ = try places.take(person)
        }
        #expect(isRejected(1_000))
        own.removeLast()()
        #expect(!isRejected(1_000))
    }

    private final class Counter: Sendable {
        private let number = Mutex(0)

        var value: Int { number.withLock { $0 } }

        func add() { number.withLock { $0 += 1 } }
    }

    @Test("SEC-2, CON-7: what a live page holds is given back once, however it goes")
    func release() {
        let counter = Counter()
        func departure() -> Departure {
            let departure = Departure()
            departure.holds { counter.add() }
            return departure
        }
        let ended = departure()
        ended.endWatch()
        ended.endWatch()
        ended.happen()
        #expect(counter.value == 1)
        departure().happen()
        #expect(counter.value == 2)
        // The browser was gone before.
        let gone = Departure()
        gone.happen()
        gone.holds { counter.add() }
        #expect(counter.value == 3)
    }
}
