import BelfryModel
import BelfryRules
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// One installation, as the services see it: it keeps what they hand out and sends it back.
struct ServiceDevice: Sendable {
    let world: ServiceWorld
    let client: DeviceID
    var state: String?
    var contactToken: String?
    var refreshToken: String?
    var contactReference: String?
    var revision: Int64 = 0

    init(_ world: ServiceWorld, _ number: Int) throws {
        self.world = world
        client = try ServiceWorld.client(number)
    }

    /// A device that is linked to an anonymous contact, as at its first start (ID-1).
    static func started(_ world: ServiceWorld, _ number: Int) async throws -> ServiceDevice {
        var device = try ServiceDevice(world, number)
        try await device.linkAnonymously()
        return device
    }

    /// A device that has registered a snapshot of its own, which was processed.
    static func registered(
        _ world: ServiceWorld, _ number: Int, key: String? = nil, token: String? = nil
    ) async throws -> ServiceDevice {
        var device = try await started(world, number)
        _ = try await device.register {
            $0.contactKey = key
            $0.pushToken = token
        }
        try await world.process()
        return device
    }

    /// - Parameter order: `X-Request-Order`; by default the device's clock, which is the server's.
    func caller(order: Int64? = nil) -> Caller {
        Caller(
            app: world.app, client: client, state: state, token: contactToken,
            order: order.map(RequestOrder.init(milliseconds:))
                ?? RequestOrder(header: nil, now: world.clock.now, maximumAhead: 300)
        )
    }

    func authenticated(order: Int64? = nil) throws -> AuthenticatedCaller {
        try world.authentication.authenticate(caller(order: order))
    }

    mutating func linkAnonymously(order: Int64? = nil) async throws {
        keep(try await world.links.linkAnonymously(caller(order: order)))
    }

    mutating func identify(_ key: String, field: String? = nil, order: Int64? = nil) async throws {
        keep(try await world.links.identify(try ContactKey(key), field: field, caller: caller(order: order)))
    }

    mutating func refresh() async throws {
        let answer = try await world.links.refresh(refreshToken ?? "", caller: caller())
        contactToken = answer.value
        state = answer.clientState
    }

    mutating func keep(_ answer: DeviceCallResult<LinkGrant>) {
        contactToken = answer.value.contactToken
        refreshToken = answer.value.refreshToken
        contactReference = answer.value.contactReference
        state = answer.clientState
    }

    /// Sends a snapshot with the next revision.
    @discardableResult
    mutating func register(
        order: Int64? = nil, _ change: (inout RegistrationSnapshot) -> Void = { _ in }
    ) async throws -> RegistrationIngestion.Receipt {
        revision += 1
        var snapshot = RegistrationSnapshot(
            deviceId: client.rawValue, registrationId: world.environment.uuid().uuidString, revision: revision,
            pushEnabled: true
        )
        change(&snapshot)
        return try await send(snapshot, order: order)
    }

    mutating func send(
        _ snapshot: RegistrationSnapshot, order: Int64? = nil
    ) async throws -> RegistrationIngestion.Receipt {
        let answer = try await world.registrations.receive(snapshot, caller: try authenticated(order: order))
        state = answer.clientState
        return answer.value
    }

    func putToken(_ token: String, provider: PushProvider = .apns, order: Int64? = nil) async throws {
        let token = try world.clients.pushToken(token, provider: provider, environment: .production)
        _ = try await world.clients.putPushToken(token, caller: try authenticated(order: order))
    }

    func deleteToken(order: Int64? = nil) async throws {
        _ = try await world.clients.deletePushToken(caller: try authenticated(order: order))
    }

    /// Sends events; each gets the contact reference that the device has now.
    func track(_ events: Event...) async throws {
        let owned = events.map { event in
            var event = event
            event.contactReference = event.contactReference ?? contactReference
            return event
        }
        _ = try await world.events.store(owned, caller: try authenticated())
    }

    /// Its own row: several installations may have its id.
    var row: DeviceRow {
        get async throws {
            let id = try authenticated().device
            let row = try await world.database.read { try $0.devices.find(id: id) }
            return try #require(row)
        }
    }

    var contactKey: String? {
        get async throws { try await world.profile(self).contact?.key }
    }
}

extension Event {
    static func test(
        _ id: String, _ name: EventName = .appStart, kind: Event.Kind = .internal, at date: Date = ServiceWorld.epoch,
        sid: String? = nil
    ) throws -> Event {
        Event(
            id: try EventID(id), kind: kind, name: name, timestamp: date,
            attributes: sid.map { #"{"sid":"\#($0)"}"# } ?? "{}"
        )
    }
}
