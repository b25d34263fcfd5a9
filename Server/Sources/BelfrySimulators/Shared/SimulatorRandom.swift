import Synchronization

/// SplitMix64 (Steele, Lea and Flood, 2014): a small generator that is determined by its seed, so that a simulation can
/// be repeated. It must not be used for secrets.
public struct SimulatorRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// A generator that returns the same numbers for the same seed.
    public init(seed: UInt64) {
        state = seed
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    /// The finalizer of SplitMix64: neighboring inputs give unrelated outputs.
    static func mixed(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// The generator of a simulator, shared by its event loops. All ids and device tokens come from it.
final class RandomSource: Sendable {
    private let generator: Mutex<any RandomNumberGenerator & Sendable>

    init(_ generator: any RandomNumberGenerator & Sendable) {
        self.generator = Mutex(generator)
    }

    /// A device token that cannot be guessed from another.
    func deviceToken() -> DeviceTokenKey {
        generator.withLock { DeviceTokenKey($0.next(), $0.next(), $0.next(), $0.next()) }
    }

    /// 32 random bytes.
    func bytes() -> [UInt8] {
        deviceToken().bytes
    }

    /// A random UUID (RFC 9562, version 4) in Apple's canonical form: 32 lowercase digits, 8-4-4-4-12.
    func uuid() -> String {
        let (high, low): (UInt64, UInt64) = generator.withLock { ($0.next(), $0.next()) }
        let versioned = (high & ~0xF000) | 0x4000
        let varied = (low & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000
        var text: [UInt8] = []
        text.reserveCapacity(36)
        Hexadecimal.append(versioned, to: &text)
        Hexadecimal.append(varied, to: &text)
        for place in [8, 13, 18, 23] {
            text.insert(UInt8(ascii: "-"), at: place)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
