import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

struct AppCacheTests {
    @Test("ADM-2: a value read before a change is not cached after it")
    func changeMeanwhile() throws {
        let cache = AppCache()
        let app = AppRecord(id: 1, code: try AppCode("shop"), name: "Shop", settings: AppSettings())
        let early = cache.ticket()
        cache.remove("shop")
        cache.insert(app, now: ServiceWorld.epoch, ticket: early)
        #expect(cache.find("shop", now: ServiceWorld.epoch) == nil)
        cache.insert(app, now: ServiceWorld.epoch, ticket: cache.ticket())
        #expect(cache.find("shop", now: ServiceWorld.epoch) == app)
        cache.remove("shop")
        #expect(cache.find("shop", now: ServiceWorld.epoch) == nil)
    }

    @Test("ADM-2: an app is cached for a second, even when the clock is set back")
    func lifetime() throws {
        let cache = AppCache()
        let app = AppRecord(id: 1, code: try AppCode("shop"), name: "Shop", settings: AppSettings())
        cache.insert(app, now: ServiceWorld.epoch, ticket: cache.ticket())
        for (seconds, isKept) in [(0.0, true), (0.9, true), (1, false), (3_600, false), (-3_600, false)] {
            let found = cache.find("shop", now: ServiceWorld.epoch.addingTimeInterval(seconds))
            #expect((found != nil) == isKept, "\(seconds) s later")
        }
    }

    @Test("ADM-2: a change of settings is visible at once in its own service, in others within a second")
    func services() async throws {
        let world = try await ServiceWorld()
        let (here, there) = (world.apps, world.apps)
        for service in [here, there] { #expect(try await service.find("shop").settings == AppSettings()) }
        var change = AppSettingsChange()
        change.anonymousContacts = .set(false)
        let changed = try await here.changeSettings(change, of: world.app)
        #expect(!changed.allowsAnonymousContacts)
        #expect(try await here.find("shop").settings == changed)
        #expect(try await there.settings(of: world.app) == changed)
        world.clock.advance(by: AppCache.lifetime)
        #expect(try await there.find("shop").settings == changed)
    }

    @Test("ADM-2: concurrent changes all take effect")
    func concurrentChanges() async throws {
        let world = try await ServiceWorld()
        let apps = world.apps
        var changes: [AppSettingsChange] = []
        for number in 0..<8 {
            var change = AppSettingsChange()
            switch number % 4 {
            case 0: change.anonymousContacts = .set(false)
            case 1: change.maxBadgeCount = .set(7)
            case 2: change.timeZone = .set("Europe/Paris")
            default: change.contactFields = .set(["3"])
            }
            changes.append(change)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for change in changes {
                group.addTask { _ = try await apps.changeSettings(change, of: world.app) }
            }
            try await group.waitForAll()
        }
        let settings = try await apps.settings(of: world.app)
        #expect(!settings.allowsAnonymousContacts && settings.maximumBadge == 7)
        #expect(settings.timeZoneName == "Europe/Paris" && settings.contactFields == ["3"])
    }
}
