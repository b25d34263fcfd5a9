import BelfryModel

/// A text that is left out of JSON when it is empty, and empty when it is left out.
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

// What the compiler writes for a type finds these by the property's type: its key may be absent.

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
