import BelfryModel

/// The claims of a token about a person (RFC 7519 §4).
struct OpenIDClaims: Decodable {
    private enum Value: Decodable {
        case text(String)
        case whole(Int64)
        case fraction(Double)
        case texts([String])
        case flag(Bool)
        case other

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let number = try? container.decode(Int64.self) {
                self = .whole(number)
            } else if let number = try? container.decode(Double.self) {
                self = .fraction(number)
            } else if let texts = try? container.decode([String].self) {
                self = .texts(texts)
            } else if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else {
                self = .other
            }
        }

        var number: Double? {
            switch self {
            case .whole(let number): Double(number)
            case .fraction(let number): number
            default: nil
            }
        }
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) {
            return nil
        }
    }

    /// The claims that are not null.
    private let values: [String: Value]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        var values: [String: Value] = [:]
        for name in container.allKeys {
            values[name.stringValue] = try container.decodeIfPresent(Value.self, forKey: name)
        }
        self.values = values
    }

    /// Whether the token has this issuer. The texts are compared byte by byte: other spellings of a text are other
    /// issuers (SEC-7).
    func isFrom(_ issuer: String) -> Bool {
        guard case .text(let text)? = values["iss"] else { return false }
        return text.utf8.elementsEqual(issuer.utf8)
    }

    /// Whether the audience is this one, or a list that contains it. It is compared byte by byte, too.
    func isFor(_ audience: String) -> Bool {
        switch values["aud"] {
        case .text(let text): text.utf8.elementsEqual(audience.utf8)
        case .texts(let texts): texts.contains { $0.utf8.elementsEqual(audience.utf8) }
        default: false
        }
    }

    /// Whether the token is for this party only: a token for several audiences names the one that got it (`azp`, OpenID
    /// Connect Core 1.0 §3.1.3.7).
    func isOnlyFor(_ party: String) -> Bool {
        if let authorized = values["azp"] {
            guard case .text(let text) = authorized, text.utf8.elementsEqual(party.utf8) else { return false }
            return isFor(party)
        }
        if case .texts(let texts) = values["aud"], texts.count > 1 { return false }
        return isFor(party)
    }

    func text(_ claim: String) -> String? {
        guard case .text(let text)? = values[claim] else { return nil }
        return text
    }

    /// Whether a claim is true. Some providers write flags as texts.
    func isTrue(_ claim: String) -> Bool {
        switch values[claim] {
        case .flag(let flag): flag
        case .text(let text): text == "true"
        default: false
        }
    }

    /// Throws if the token has expired or is not valid yet.
    ///
    /// - Parameters:
    ///   - seconds: the present time, since 1970.
    ///   - leeway: how far, in seconds, the provider's clock may be from the server's.
    func checkTimes(at seconds: Double, leeway: Double) throws(OpenIDError) {
        guard let expiry = values["exp"]?.number else { throw .noExpiry }
        guard expiry + leeway > seconds else { throw .expired }
        for name in ["nbf", "iat"] {
            guard let value = values[name] else { continue }
            guard let start = value.number, start <= seconds + leeway else { throw .notYetValid }
        }
    }

    /// The contact key in a claim: a text or a whole number, by the rules for contact keys (REG-9).
    func contactKey(in claim: String) throws(OpenIDError) -> ContactKey {
        let raw: String
        switch values[claim] {
        case .text(let text): raw = text
        case .whole(let number): raw = String(number)
        default: throw .claimMissing(claim)
        }
        do {
            return try ContactKey(raw)
        } catch {
            throw .claimUnusable(claim, error)
        }
    }
}
