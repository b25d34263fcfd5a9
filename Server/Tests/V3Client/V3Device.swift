/// A device with an app that has the vendor's client in it, as `Docs/Specification/mobile-engage-v3.md` tells.
///
/// It shares no code with Belfry: a mistake that server and SDK had in common would be seen here. It does what its
/// script says and nothing by itself; a call that is kept is tried again at the next occasion, as the vendor's does.
package actor V3Device {
    package nonisolated let id: String
    package nonisolated let settings: V3Settings
    package internal(set) var store: V3Store
    package internal(set) var memory = V3Memory()
    /// The client's description of the device.
    package internal(set) var info: JSON
    /// All requests and responses, in order.
    package internal(set) var exchanges: [V3Exchange] = []
    /// Responses on which the vendor's client would fail.
    package internal(set) var complaints: [String] = []

    let wire: any V3Wire
    let environment: V3Environment
    var chapter = ""
    var isOnline = true
    /// Only one request is in progress at a time.
    var isRunning = false
    var outcomes: [Int: CallOutcomeV3] = [:]
    var completions: [Int: V3Completion] = [:]

    /// The app, freshly installed.
    package init(settings: V3Settings, wire: any V3Wire, environment: V3Environment) {
        self.settings = settings
        self.wire = wire
        self.environment = environment
        let uuid = environment.uuid()
        let id = settings.clientID ?? (settings.flavour == .ios ? uuid.uppercased() : uuid.lowercased())
        self.id = id
        store = V3Store(clientID: id)
        info = settings.flavour.deviceInfo
    }

    var isIOS: Bool { settings.flavour == .ios }

    /// Begins a part of the story; the transcript is divided by them.
    package func begin(_ chapter: String) {
        self.chapter = chapter
    }

    /// The app is deleted and installed again. On iOS the client id is in the keychain and outlives it; tokens, state and
    /// what waits do not.
    package func reinstall() async {
        await wire.close()
        memory = V3Memory()
        let id = isIOS || settings.clientID != nil ? store.clientID : environment.uuid().lowercased()
        store = V3Store(clientID: id)
        outcomes = [:]
        completions = [:]
    }

    /// Changes what the device stores, as time, an error or a thief would: a damaged token, an old state.
    package func tamper(_ change: @Sendable (inout V3Store, inout V3Memory) -> Void) {
        change(&store, &memory)
    }
}

/// The client's steps after a call has succeeded or was dropped.
enum V3Completion: Hashable, Sendable {
    case propertiesSaid(JSON)
    case linked(before: V3Identity)
    case unlinked(before: V3Identity)
    case pushTokenPut(String)
    case pushTokenDeleted
}

/// The contact that the app has set.
struct V3Identity: Hashable, Sendable {
    var fieldValue: String?
    var fieldID: Int64?
    var openIDToken: String?
}
