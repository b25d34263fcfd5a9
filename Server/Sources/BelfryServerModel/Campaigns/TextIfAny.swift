import BelfryModel

/// A text that JSON omits when it is empty. A missing text is read as empty.
@propertyWrapper
package struct TextIfAny: Hashable, Sendable, Codable {
    package var wrappedValue: String

    package init(wrappedValue: String) {
        self.wrappedValue = wrappedValue
    }

    package init(from decoder: any Decoder) throws {
        wrappedValue = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

// The compiler's synthesized code picks these overloads by the property's type: they let its key be absent.

extension KeyedDecodingContainer {
    package func decode(_ type: TextIfAny.Type, forKey key: Key) throws -> TextIfAny {
        try decodeIfPresent(type, forKey: key) ?? TextIfAny(wrappedValue: "")
    }
}

extension KeyedEncodingContainer {
    package mutating func encode(_ text: TextIfAny, forKey key: Key) throws {
        if !text.wrappedValue.isEmpty { try encode(text.wrappedValue, forKey: key) }
    }
}
