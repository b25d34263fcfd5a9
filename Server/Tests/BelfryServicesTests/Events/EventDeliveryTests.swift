import BelfryModel
import BelfryServices
import Foundation
import Synchronization
import Testing

@Suite("Responses to uploads")
struct EventDeliveryTests {
    @Test("PERF-3: the writer's thread passes the result on; the response is built by the caller")
    func delivered() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.started(world, 1)
        let events = world.events
        let waiting = Mutex<(@Sendable () -> Void)?>(nil)
        let (written, wrote) = AsyncStream.makeStream(of: Void.self)
        let stored = Mutex(0)
        let (event, caller) = (try Event.once("e1"), try device.authenticated())
        events.store([event], caller: caller) { result in
            let state = try? result.get().clientState
            stored.withLock { $0 += state == nil ? 0 : 1 }
        } deliver: { response in
            waiting.withLock { $0 = response }
            wrote.yield()
        }
        for await _ in written { break }
        let early = stored.withLock { $0 }
        #expect(early == 0)
        #expect(!world.metrics.prometheusText().contains("belfry_events_stored_total 1\n"))
        let response = waiting.withLock { $0 }
        response?()
        let late = stored.withLock { $0 }
        #expect(late == 1)
        #expect(world.metrics.prometheusText().contains("belfry_events_stored_total 1\n"))
    }
}

extension Event {
    fileprivate static func once(_ id: String) throws -> Event {
        Event(id: try EventID(id), kind: .custom, name: try EventName("n"), timestamp: ServiceWorld.epoch)
    }
}
