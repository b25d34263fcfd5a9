import BelfryModel
import Foundation
import Testing

@testable import BelfryServices

/// SEC-9: contacts are not made without end.
@Suite("Contacts created by links")
struct LinkBudgetTests {
    private static let few = RequestRates(perDevice: 600, limitsLoopback: false)

    private static func limits(_ world: ServiceWorld) -> RequestLimits {
        RequestLimits(rates: few, proxies: .none, now: world.environment.now, metrics: world.metrics)
    }

    /// Links as the API does it; nil for a link that was refused, with the limit's name.
    private static func link(
        _ device: inout ServiceDevice, _ limits: RequestLimits, from address: String = "127.0.0.1", key: String? = nil
    ) async throws -> String? {
        var caller = device.caller()
        caller.shown = device.world.authentication.installation(shownBy: caller)
        let peer = try #require(IPAddress(address))
        caller.newDeviceQuota = limits.newDeviceQuota(peer: peer, forwardedFor: nil)
        caller.linkBudget = limits.linkBudget(of: caller)
        do {
            if let key {
                device.keep(try await device.world.links.identify(try ContactKey(key), field: nil, caller: caller))
            } else {
                device.keep(try await device.world.links.linkAnonymously(caller, isFresh: true))
            }
            return nil
        } catch ServiceError.tooManyCalls(let limit, _, _) {
            return limit
        }
    }

    @Test("SEC-9: a device's new contacts a minute are limited, by logouts and logins; existing ones are free")
    func device() async throws {
        let world = try await ServiceWorld()
        let limits = Self.limits(world)
        var device = try await ServiceDevice.started(world, 1)
        for number in 0..<60 {
            let rejected = try await Self.link(&device, limits, key: number.isMultiple(of: 2) ? nil : "key-\(number)")
            #expect(rejected == nil)
        }
        let before = try await world.rows("contacts")
        for key in [nil, "another"] {
            let rejected = try await Self.link(&device, limits, key: key)
            #expect(rejected == "newContacts")
        }
        #expect(try await world.rows("contacts") == before)
        let known = try await Self.link(&device, limits, key: "key-1")
        #expect(known == nil)
        try await device.track(.test("e1"))
        // Tokens and links later it is the same installation.
        world.clock.advance(by: 2)
        let later = [try await Self.link(&device, limits), try await Self.link(&device, limits)]
        #expect(later[0] == nil)
        var another = try await ServiceDevice.started(world, 2)
        let other = try await Self.link(&another, limits)
        #expect(other == nil)
    }

    @Test("SEC-9: contacts of registrations count like those of links; beyond it the key is rejected alone")
    func registrations() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        let rates = RequestRates(perDevice: 30, limitsLoopback: false)
        let limits = RequestLimits(
            rates: rates, proxies: .none, now: world.environment.now, metrics: world.metrics
        )
        let environment = world.environment.with(newContacts: NewContactRule(limits: limits))
        let processor = RegistrationProcessor(
            database: world.database, environment: environment, attempts: world.makeAttempts(),
            received: world.received, logger: world.logger
        )
        var device = try await ServiceDevice.started(world, 1)
        for number in 0..<5 {
            let receipt = try await device.register {
                $0.contactKey = "key-\(number)"
                $0.attributes = ["city": .string("city-\(number)")]
            }
            _ = try await processor.processWaiting()
            let caller = try device.authenticated()
            let found = try await world.registrations.receipt(receipt.registrationID, caller: caller).value
            #expect(found.rejected.map(\.reason) == (number < 3 ? [] : ["tooManyContacts"]))
        }
        let profile = try await world.profile(device)
        #expect(profile.contact?.key == "key-2" && profile.contact?.attributes == ["city": "city-4"])
        // A contact that is there costs nothing.
        _ = try await device.register { $0.contactKey = "key-1" }
        _ = try await processor.processWaiting()
        #expect(try await device.contactKey == "key-1")
    }

    @Test(
        "SEC-9: a known id gets a few more installations a minute where addresses are free, and the owner keeps theirs")
    func unauthenticated() async throws {
        let world = try await ServiceWorld()
        let limits = Self.limits(world)
        let owner = try await ServiceDevice.started(world, 1)
        try await owner.track(.test("e1"))
        var granted = 0
        for _ in 0..<40 {
            world.clock.advance(by: 0.01)
            var impostor = try ServiceDevice(world, 1)
            switch try await Self.link(&impostor, limits) {
            case nil: granted += 1
            case let limit: #expect(limit == "newInstallations")
            }
        }
        #expect(granted == 10)
        // Each has its own contact, beside the owner's.
        #expect(try await world.rows("contacts") == 1 + granted)
        #expect(try await world.rows("former_devices") == 0)
    }

    @Test("SEC-9: installations that take a row over count as new devices of the address")
    func address() async throws {
        let world = try await ServiceWorld()
        let limits = RequestLimits(
            rates: RequestRates(perDevice: 20, limitsLoopback: false), proxies: .none, now: world.environment.now,
            metrics: world.metrics
        )
        _ = try await ServiceDevice.started(world, 1)
        var codes: [String?] = []
        for _ in 0..<12 {
            world.clock.advance(by: 0.01)
            var impostor = try ServiceDevice(world, 1)
            codes.append(try await Self.link(&impostor, limits, from: "203.0.113.5"))
        }
        let granted = [String?](repeating: nil, count: 10)
        #expect(codes == granted + ["newDevices", "newDevices"])
        var neighbour = try ServiceDevice(world, 1)
        let other = try await Self.link(&neighbour, limits, from: "203.0.113.6")
        #expect(other == nil)
    }
}
