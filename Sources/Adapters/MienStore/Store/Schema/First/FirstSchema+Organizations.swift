extension FirstSchema {
    /// The customers of an operator, their members, and invitations.
    static let organizations = """
        CREATE TABLE organization (
          id TEXT PRIMARY KEY, external_id TEXT UNIQUE, name TEXT NOT NULL, name_key TEXT NOT NULL,
          state TEXT NOT NULL, metadata TEXT NOT NULL, created_at BIGINT NOT NULL,
          updated_at BIGINT NOT NULL);
        CREATE INDEX organization_by_name ON organization (name_key, id);

        CREATE TABLE organization_app (
          organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
          app_id TEXT NOT NULL REFERENCES app (id) ON DELETE CASCADE,
          PRIMARY KEY (organization_id, app_id));
        CREATE INDEX organization_app_by_app ON organization_app (app_id);

        CREATE TABLE organization_member (
          organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
          account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE, roles TEXT NOT NULL,
          is_admin BIGINT NOT NULL, created_at BIGINT NOT NULL,
          PRIMARY KEY (organization_id, account_id));
        CREATE INDEX organization_member_by_account ON organization_member (account_id);
        CREATE INDEX organization_member_by_time
          ON organization_member (organization_id, created_at, account_id);
        CREATE INDEX organization_member_by_role
          ON organization_member (organization_id, is_admin, created_at, account_id);

        -- An invitation to a user name counts for the account that had it, because another account
        -- could take the name later. An address is verified before it names an account.
        CREATE TABLE organization_invitation (
          id TEXT PRIMARY KEY,
          organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
          kind TEXT NOT NULL, name_hash {blob} NOT NULL,
          account_id TEXT REFERENCES account (id) ON DELETE CASCADE, content_sealed {blob} NOT NULL,
          roles TEXT NOT NULL, author TEXT NOT NULL, created_at BIGINT NOT NULL,
          expires_at BIGINT NOT NULL, UNIQUE (organization_id, kind, name_hash));
        CREATE INDEX organization_invitation_by_name ON organization_invitation (kind, name_hash);
        CREATE INDEX organization_invitation_by_account ON organization_invitation (account_id);
        CREATE INDEX organization_invitation_by_time ON organization_invitation (expires_at);

        CREATE TABLE scim_token (
          id TEXT PRIMARY KEY,
          organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
          token_hash {blob} NOT NULL UNIQUE, name TEXT NOT NULL, domains TEXT NOT NULL,
          author TEXT NOT NULL, created_at BIGINT NOT NULL, used_at BIGINT);
        CREATE INDEX scim_token_by_organization ON scim_token (organization_id, created_at);

        -- A name is unique within the directory of an organization.
        CREATE TABLE scim_user (
          organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
          account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
          is_owned BIGINT NOT NULL, is_active BIGINT NOT NULL, has_suspended BIGINT NOT NULL,
          content_sealed {blob} NOT NULL, name_hash {blob} NOT NULL, external_hash {blob}, created_at BIGINT NOT NULL,
          updated_at BIGINT NOT NULL, PRIMARY KEY (organization_id, account_id),
          UNIQUE (organization_id, name_hash));
        CREATE INDEX scim_user_by_account ON scim_user (account_id);
        CREATE INDEX scim_user_by_external ON scim_user (organization_id, external_hash);
        CREATE INDEX scim_user_by_time ON scim_user (organization_id, created_at, account_id);

        CREATE TABLE scim_group (
          id TEXT PRIMARY KEY,
          organization_id TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
          name TEXT NOT NULL, role TEXT NOT NULL, external_id TEXT, created_at BIGINT NOT NULL,
          updated_at BIGINT NOT NULL, UNIQUE (organization_id, role));
        CREATE INDEX scim_group_by_time ON scim_group (organization_id, created_at);

        CREATE TABLE scim_group_member (
          group_id TEXT NOT NULL REFERENCES scim_group (id) ON DELETE CASCADE,
          account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
          PRIMARY KEY (group_id, account_id));
        CREATE INDEX scim_group_member_by_account ON scim_group_member (account_id);
        """
}
