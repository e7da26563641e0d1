/** Servers of models that admins entered, by name; a key is sealed with one that is not in the database. */
export const MODEL_SERVER_RECORD = 'chat-model-server'
