import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation

/// An identity provider's metadata and signing keys, read when they are needed and cached for a while.
actor ProviderDirectory {
    /// How long they are cached, in seconds.
    static let lifetime: TimeInterval = 3_600
    /// Seconds between two readings of the keys for tokens that name an unknown key, so that such tokens do not make
    /// this server call the provider each time.
    static let leastInterval: TimeInterval = 60
    static let maximumKeysBytes = 262_144
    static let maximumKeys = 50

    private struct Kept<Value: Sendable>: Sendable {
        let value: Value
        let read: Date
    }

    private let provider: SignInProvider
    private let transport: any ProviderTransport
    private let now: @Sendable () -> Date
    private var metadata: Kept<ProviderMetadata>?
    private var keys: Kept<JSONWebKeySet>?

    init(provider: SignInProvider, transport: any ProviderTransport, now: @escaping @Sendable () -> Date) {
        self.provider = provider
        self.transport = transport
        self.now = now
    }

    func describe() async throws -> ProviderMetadata {
        if let metadata, isFresh(metadata.read, for: Self.lifetime) { return metadata.value }
        let body = try await read(provider.metadataAddress, orThrow: .badMetadata)
        let found = try ProviderMetadata(body, issuer: provider.issuer)
        metadata = Kept(value: found, read: now())
        return found
    }

    /// The provider's keys. They are read again when a token names one that is not among them.
    ///
    /// - Parameter keyID: the id of the token's key. Nil when the token names none.
    func keySet(with keyID: String?) async throws -> JSONWebKeySet {
        if let keys, isFresh(keys.read, for: Self.lifetime) {
            let isThere = keyID.map { id in keys.value.keys.contains { $0.kid == id } } ?? true
            if isThere || isFresh(keys.read, for: Self.leastInterval) { return keys.value }
        }
        let body = try await read(try await describe().keys, orThrow: .badKeys)
        let set = try? CheckedJSON.decode(JSONWebKeySet.self, from: body, maximumBytes: Self.maximumKeysBytes)
        guard let set, (1...Self.maximumKeys).contains(set.keys.count) else { throw ProviderError.badKeys }
        keys = Kept(value: set, read: now())
        return set
    }

    private func read(_ address: TokenURI, orThrow error: ProviderError) async throws -> [UInt8] {
        do {
            let (status, body) = try await transport.send(ProviderRequest(reading: address))
            guard status == 200 else { throw error }
            return body
        } catch let unreachable as AccessTokenExchangeError {
            throw ProviderError.unreachable(unreachable)
        }
    }

    private func isFresh(_ date: Date, for seconds: TimeInterval) -> Bool {
        let age = now().timeIntervalSince(date)
        return age >= 0 && age < seconds
    }
}
