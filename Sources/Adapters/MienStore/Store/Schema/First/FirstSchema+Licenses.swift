extension FirstSchema {
    /// Product keys, and the devices that each has activated.
    static let licenses = """
        CREATE TABLE product_key (
          id TEXT PRIMARY KEY, key_hash {blob} NOT NULL, product TEXT NOT NULL, name TEXT NOT NULL,
          activations BIGINT NOT NULL, used BIGINT NOT NULL, days BIGINT NOT NULL,
          created_at BIGINT NOT NULL, revoked_at BIGINT);
        CREATE INDEX product_key_by_time ON product_key (created_at, id);

        CREATE TABLE licence_device (
          product_key_id TEXT NOT NULL REFERENCES product_key (id) ON DELETE CASCADE,
          device_hash {blob} NOT NULL, created_at BIGINT NOT NULL,
          PRIMARY KEY (product_key_id, device_hash));
        """
}
