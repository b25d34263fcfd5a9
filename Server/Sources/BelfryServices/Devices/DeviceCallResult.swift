/// What every answer of the device API carries back, beside the answer itself.
package struct DeviceCallResult<Value: Sendable>: Sendable {
    package let value: Value
    /// The new `X-Client-State`.
    package let clientState: String
}
